// The palette: all commands, found by a few of their letters.
import type { App } from "../core/app";
import type { Command } from "../core/commands";
import { openDialog } from "../widgets/dialog";
import { fill, h } from "../widgets/dom";
import { rank, type Match } from "../widgets/fuzzy";

interface Entry { id: string; title: string; keys: string[]; run(): void }

/** Opens the palette. */
export function openPalette(app: App): void {
  const all = entries(app);
  let found: { item: Entry; match: Match }[] = [];
  let active = 0;
  const list = h("ul", { class: "palette-list", role: "listbox", id: "palette-list", "aria-label": "Commands" });
  const box = h("input", {
    type: "text", class: "input palette-box", placeholder: "what do you want to do?", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list",
    "aria-label": "Command", spellcheck: "false", autocomplete: "off",
  });
  const draw = (): void => {
    fill(list, found.slice(0, 200).map(({ item, match }, i) => h("li", {
      role: "option", id: `palette-${i}`, "aria-selected": String(i === active), class: i === active ? "chosen" : null,
      onclick: () => take(i), onpointermove: () => i !== active && mark(i),
    }, h("span", null, marked(item.title, match.at)), h("span", { class: "keys" }, item.keys.map((k) => h("kbd", null, keyText(k)))))));
    if (found.length === 0) fill(list, h("li", { class: "muted" }, "No command is like this."));
    box.setAttribute("aria-activedescendant", found.length > 0 ? `palette-${active}` : "");
  };
  const mark = (i: number): void => {
    active = Math.max(0, Math.min(found.length - 1, i));
    draw();
    list.children[active]?.scrollIntoView({ block: "nearest" });
  };
  const take = (i: number): void => {
    const entry = found[i]?.item;
    dialog.close();
    entry?.run();
  };
  const search = (): void => {
    found = rank(box.value, all, (e) => e.title);
    mark(0);
  };
  box.addEventListener("input", search);
  box.addEventListener("keydown", (e) => {
    if (e.key === "ArrowDown") mark(active + 1);
    else if (e.key === "ArrowUp") mark(active - 1);
    else if (e.key === "Enter") take(active);
    else return;
    e.preventDefault();
  });
  const dialog = openDialog("Commands", [box, list], { class: "palette" });
  search();
  box.focus();
}

function entries(app: App): Entry[] {
  const usable = app.commands.list().filter((c) => !c.hidden && c.when?.() !== false);
  return usable.map((c: Command) => ({ id: c.id, title: c.title, keys: c.keys ?? [], run: () => void app.commands.run(c.id) }));
}

function marked(text: string, at: number[]): Node[] {
  const places = new Set(at);
  return [...text].length !== text.length
    ? [document.createTextNode(text)]
    : [...text].map((c, i) => (places.has(i) ? h("b", null, c) : document.createTextNode(c)));
}

const names: Record<string, string> = {
  Control: "Ctrl", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", Escape: "Esc", PageUp: "Page up", PageDown: "Page down",
};

/** A key as people read it: "Ctrl+K". */
export function keyText(key: string): string {
  if (key === "+") return "+";
  const parts = key.endsWith("++") ? [...key.slice(0, -2).split("+"), "+"] : key.split("+");
  return parts.map((p) => names[p] ?? (p.length === 1 ? p.toUpperCase() : p)).join("+");
}
