import { h, type Child } from "./dom";

export interface Bar {
  label: Child;
  share: number; // of the longest possible bar, 0 to 1
  number: string;
  detail?: string;
  color?: string | undefined;
  title?: string;
  run?: () => void; // makes the label a button
  pressed?: boolean;
}

/** A list of shares with their numbers. */
export function barList(label: string, bars: Bar[]): HTMLElement {
  return h("ul", { class: "bars", "aria-label": label }, bars.map(barItem));
}

function barItem(b: Bar): HTMLElement {
  const width = `${(100 * Math.min(1, Math.max(0, b.share))).toFixed(2)}%`;
  const label = b.run
    ? h("button", { type: "button", class: "link", "aria-pressed": b.pressed === undefined ? null : String(b.pressed), onclick: b.run }, b.label)
    : h("span", null, b.label);
  return h("li", { title: b.title },
    h("span", { class: "bar-label" }, label),
    h("span", { class: "bar-track", "aria-hidden": "true" },
      h("span", { class: "bar-fill", style: { width, ...(b.color ? { background: b.color } : {}) } })),
    h("span", { class: "bar-number" }, b.number),
    h("span", { class: "bar-detail" }, b.detail ?? ""));
}

export interface Part {
  label: string;
  value: number;
  text: string; // the value in words
  color: string;
}

/** One bar cut in parts, with its legend below. Parts of nothing are left out. */
export function stackedBar(label: string, parts: Part[]): HTMLElement {
  const there = parts.filter((p) => p.value > 0);
  const total = there.reduce((s, p) => s + p.value, 0) || 1;
  return h("figure", { class: "stacked" },
    h("div", { class: "stacked-bar", role: "img", "aria-label": `${label}: ${there.map((p) => `${p.label} ${p.text}`).join(", ")}` },
      there.map((p) => h("span", { title: `${p.label}: ${p.text}`, style: { width: `${(100 * p.value) / total}%`, background: p.color } }))),
    h("figcaption", null, there.map((p) =>
      h("span", { class: "key" }, h("span", { class: "swatch", style: { background: p.color } }), `${p.label} ${p.text}`))));
}
