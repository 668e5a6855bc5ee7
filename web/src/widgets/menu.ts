import { h } from "./dom";

export interface MenuItem {
  text: string;
  detail?: string; // a key, a hint
  disabled?: boolean;
  checked?: boolean;
  run(): void;
}

/** Opens a menu at an element or a place; "-" is a separator. Arrows, Home, End
 *  and first letters move, Enter takes, Escape and Tab leave. */
export function openMenu(at: HTMLElement | { x: number; y: number }, items: (MenuItem | "-")[], label = "Menu"): () => void {
  const back = document.activeElement as HTMLElement | null;
  const root = h("div", { class: "menu", role: "menu", "aria-label": label, tabindex: "-1" });
  const close = (): void => {
    document.removeEventListener("pointerdown", leave, true);
    if (!root.isConnected) return;
    const focused = root.contains(document.activeElement);
    root.remove();
    if (focused && back?.isConnected) back.focus();
  };
  const leave = (e: Event): void => {
    if (!root.contains(e.target as Node)) close();
  };
  for (const item of items) root.append(item === "-" ? h("hr", { role: "separator" }) : entry(item, close));
  root.addEventListener("keydown", (e) => keys(e, root, close));
  (document.querySelector("dialog[open]") ?? document.body).append(root);
  place(root, at);
  document.addEventListener("pointerdown", leave, true);
  (entries(root)[0] ?? root).focus();
  return close;
}

function entry(item: MenuItem, close: () => void): HTMLElement {
  const checkable = item.checked !== undefined;
  return h(
    "button",
    {
      type: "button",
      role: checkable ? "menuitemcheckbox" : "menuitem",
      "aria-checked": checkable ? String(item.checked) : null,
      tabindex: "-1",
      disabled: item.disabled,
      onclick: () => {
        close();
        item.run();
      },
    },
    h("span", { class: "menu-check", "aria-hidden": "true" }, item.checked ? "✓" : ""),
    h("span", { class: "menu-text" }, item.text),
    item.detail ? h("span", { class: "menu-detail" }, item.detail) : null,
  );
}

function entries(root: HTMLElement): HTMLButtonElement[] {
  return [...root.querySelectorAll<HTMLButtonElement>("button:not(:disabled)")];
}

function keys(e: KeyboardEvent, root: HTMLElement, close: () => void): void {
  const all = entries(root);
  const now = all.indexOf(document.activeElement as HTMLButtonElement);
  const to = target(e.key, now, all);
  if (to !== null) all[to]?.focus();
  else if (e.key === "Escape" || e.key === "Tab") close();
  else if (e.key !== "Enter" && e.key !== " ") return;
  if (e.key !== "Enter" && e.key !== " ") e.preventDefault();
  e.stopPropagation();
}

function target(key: string, now: number, all: HTMLElement[]): number | null {
  const n = all.length;
  switch (key) {
    case "ArrowDown": return (now + 1) % n;
    case "ArrowUp": return (now - 1 + n) % n;
    case "Home": return 0;
    case "End": return n - 1;
  }
  if (key.length !== 1 || key === " ") return null;
  for (let i = 1; i <= n; i++) {
    const j = (now + i) % n;
    const text = all[j]!.querySelector(".menu-text")?.textContent ?? "";
    if (text.toLowerCase().startsWith(key.toLowerCase())) return j;
  }
  return null;
}

function place(root: HTMLElement, at: HTMLElement | { x: number; y: number }): void {
  const r = at instanceof HTMLElement ? at.getBoundingClientRect() : null;
  const x = r ? r.left : (at as { x: number }).x;
  const y = r ? r.bottom + 2 : (at as { y: number }).y;
  const box = root.getBoundingClientRect();
  root.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 4))}px`;
  root.style.top = `${y + box.height > innerHeight - 4 ? Math.max(4, (r ? r.top : y) - box.height - 2) : y}px`;
}
