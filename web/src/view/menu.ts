// A menu at a place: arrows, Home, End, Enter, Escape; focus goes back after.
import { h } from "../widgets/dom";

export type MenuItem =
  | { label: string; run: () => void; checked?: boolean; detail?: string; disabled?: boolean; href?: string }
  | { heading: string };

let close: (() => void) | null = null;

export function closeMenu(): boolean {
  if (!close) return false;
  close();
  return true;
}

/** Opens a menu below an element or at a point. */
export function openMenu(at: Element | { x: number; y: number }, label: string, items: MenuItem[]): void {
  closeMenu();
  const before = document.activeElement as HTMLElement | null;
  const root = h("div", { class: "menu", role: "menu", "aria-label": label }, ...items.map(entry));
  document.body.append(root);
  place(root, at);
  const outside = (e: Event) => {
    if (!root.contains(e.target as Node)) close?.();
  };
  document.addEventListener("pointerdown", outside, true);
  close = () => {
    close = null;
    document.removeEventListener("pointerdown", outside, true);
    const inside = root.contains(document.activeElement);
    root.remove();
    if (inside) before?.focus({ preventScroll: true });
  };
  root.addEventListener("keydown", (e) => keys(root, e));
  choices(root)[0]?.focus({ preventScroll: true });
}

function entry(item: MenuItem): HTMLElement {
  if ("heading" in item) return h("div", { class: "menu-heading", role: "presentation" }, item.heading);
  const check = item.checked === undefined ? {} : { "aria-checked": String(item.checked) };
  const role = item.checked === undefined ? "menuitem" : "menuitemcheckbox";
  const content = [
    h("span", { class: "menu-check", "aria-hidden": "true" }, item.checked ? "✓" : ""),
    h("span", {}, item.label),
    item.detail ? h("span", { class: "menu-detail" }, item.detail) : null,
  ];
  const done = () => {
    close?.();
    item.run();
  };
  if (item.href !== undefined) return h("a", { class: "menu-item", role, tabindex: -1, href: item.href, download: "", onclick: () => setTimeout(done) }, ...content);
  return h("button", { type: "button", class: "menu-item", role, tabindex: -1, disabled: item.disabled === true, ...check, onclick: done }, ...content);
}

function choices(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(".menu-item:not([disabled])")];
}

function keys(root: HTMLElement, e: KeyboardEvent): void {
  const all = choices(root), i = all.indexOf(document.activeElement as HTMLElement);
  const to: Record<string, number> = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: all.length - 1 };
  e.stopPropagation();
  if (e.key === "Escape" || e.key === "Tab") close?.();
  else if (e.key in to) all.at(to[e.key]! % all.length)?.focus();
  else return;
  e.preventDefault();
}

function place(root: HTMLElement, at: Element | { x: number; y: number }): void {
  const r = at instanceof Element ? at.getBoundingClientRect() : { left: at.x, right: at.x, bottom: at.y, top: at.y };
  const w = root.offsetWidth, h = root.offsetHeight;
  const x = Math.max(4, Math.min(r.left, innerWidth - w - 4));
  const y = r.bottom + h + 4 <= innerHeight ? r.bottom + 2 : Math.max(4, r.top - h - 2);
  root.style.left = `${x}px`;
  root.style.top = `${y}px`;
}
