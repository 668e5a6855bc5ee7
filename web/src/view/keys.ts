// Keys of the page become commands, unless they are for a field or a button.
import { keyOf, type Commands } from "../core/commands";

export function listenToKeys(commands: Commands): void {
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.isComposing || !forCommands(e)) return;
    const command = commands.ofKey(keyOf(e));
    if (!command) return;
    if (commands.run(command.id)) e.preventDefault();
  });
}

function forCommands(e: KeyboardEvent): boolean {
  const t = e.target as HTMLElement;
  if (document.querySelector("dialog[open]")) return false;
  if (t.closest("input, textarea, select, [contenteditable]")) return e.key === "Escape" || (e.ctrlKey && e.key === "k");
  const pressed = e.key === "Enter" || e.key === " ";
  if (pressed && t.closest("button, a, summary, [role=tab], [role=menuitem], tr[tabindex]")) return false;
  const arrow = e.key.startsWith("Arrow") || e.key === "Home" || e.key === "End";
  if (arrow && !e.altKey && t.closest(".side")) return false;
  return true;
}
