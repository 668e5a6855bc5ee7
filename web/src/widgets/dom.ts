// Elements made in code. Texts are always text nodes: names in traces are
// whatever a program called itself, never markup.

export type Child = Node | string | number | null | undefined | false | Child[];
type Value = string | number | boolean | null | undefined | Record<string, string> | ((e: never) => void);

export interface Props {
  [name: string]: Value;
  style?: Record<string, string> | undefined;
}

/** Makes an element. `on…` functions listen, `style` is an object, other
 *  values are attributes: true is present, false, null and undefined absent. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props | null = null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  apply(el, props);
  append(el, children);
  return el;
}

/** The same for drawings. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props | null = null,
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(el, props);
  append(el, children);
  return el;
}

function apply(el: Element, props: Props | null): void {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    set(el, key, value);
  }
}

function set(el: Element, key: string, value: Value): void {
  if (typeof value === "function") {
    el.addEventListener(key.slice(2), value as EventListener);
  } else if (key === "style") {
    setStyle(el as HTMLElement, value as Record<string, string>);
  } else if (key === "value" && "value" in el) {
    (el as HTMLInputElement).value = String(value);
  } else if (key === "checked") {
    (el as HTMLInputElement).checked = Boolean(value);
  } else {
    el.setAttribute(key, value === true ? "" : String(value));
  }
}

// One property at a time: a colour from a run sets nothing but its own property.
function setStyle(el: HTMLElement | SVGElement, style: Record<string, string>): void {
  for (const [name, value] of Object.entries(style)) el.style.setProperty(name, value);
}

export function append(el: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(el, child);
    else el.append(typeof child === "number" ? String(child) : child);
  }
}

/** Empties an element and fills it anew. The focus stays on the control at the
 *  same place among the controls: who works with keys is not thrown out. */
export function fill(el: Element, ...children: Child[]): void {
  const at = el.contains(document.activeElement) ? controls(el).indexOf(document.activeElement as HTMLElement) : -1;
  el.replaceChildren();
  append(el, children);
  if (at >= 0) controls(el)[at]?.focus({ preventScroll: true });
}

function controls(el: Element): HTMLElement[] {
  return [...el.querySelectorAll<HTMLElement>("button, a[href], input, select, textarea, [tabindex]")];
}

/** A push button with a text. */
export function button(text: string, run: (e: MouseEvent) => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", class: "btn", onclick: run, ...props }, text);
}

/** A choice among a few values, with a label of its own. */
export function select(
  label: string,
  options: { value: string; text: string }[],
  value: string,
  change: (value: string) => void,
): HTMLSelectElement {
  const el = h("select", { class: "select", "aria-label": label });
  for (const o of options) el.append(h("option", { value: o.value }, o.text));
  el.value = value;
  el.addEventListener("change", () => change(el.value));
  return el;
}

/** Calls of clean-up, gathered while a pane is built. */
export class Cleanup {
  #calls: (() => void)[] = [];
  add(...calls: (() => void)[]): void {
    this.#calls.push(...calls);
  }
  run(): void {
    for (const call of this.#calls.splice(0).reverse()) call();
  }
}

/** Listens until the returned function is called. */
export function listen(
  target: EventTarget,
  type: string,
  f: (e: never) => void,
  options?: AddEventListenerOptions,
): () => void {
  target.addEventListener(type, f as EventListener, options);
  return () => target.removeEventListener(type, f as EventListener, options);
}

let ids = 0;
/** An id that is not yet in the page. */
export function uid(prefix: string): string {
  return `${prefix}-${++ids}`;
}
