// Icons: drawings of one path on 16 by 16, in the colour of the text.
import { h, svg, type Props } from "./dom";

const ICONS: Record<string, string> = {
  fit: "M2 5V2h3M11 2h3v3M14 11v3h-3M5 14H2v-3M5 8h6",
  plus: "M8 3v10M3 8h10", minus: "M3 8h10",
  undo: "M6 3L2.5 6.5L6 10M3 6.5h6a4 4 0 0 1 0 7H6", redo: "M10 3l3.5 3.5L10 10M13 6.5H7a4 4 0 0 0 0 7h3",
  area: "M3 3h2M7 3h2M11 3h2v2M13 7v2M13 11v2h-2M9 13H7M5 13H3v-2M3 9V7M3 5V3", ruler: "M2 5h12v6H2zM5 5v3M8 5v4M11 5v3",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11", help: "M6 6a2 2 0 1 1 2.6 1.9C8 8.2 8 8.7 8 9.5M8 12v.3",
  menu: "M3 8h.01M8 8h.01M13 8h.01", add: "M2 3h12v4H2zM8 9.5v5M5.5 12h5", search: "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14",
  command: "M3 5l3 3l-3 3M8 12h5", close: "M4 4l8 8M12 4l-8 8", link: "M6.5 9.5l3-3M7 4.5l1-1a2.8 2.8 0 0 1 4 4l-1 1M9 11.5l-1 1a2.8 2.8 0 0 1-4-4l1-1",
  grip: "M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01", pane: "M2 3h12v10H2zM10 3v10",
  chain: "M2 4h3.5l5 8H14M2 2.5v3M14 10.5v3",
  play: "M5 3l8 5l-8 5z", pause: "M5 3v10M11 3v10", stepback: "M12 3l-6 5l6 5zM4 3v10", stepon: "M4 3l6 5l-6 5zM12 3v10",
};

export function icon(name: string): SVGElement {
  return svg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", class: "ico" }, svg("path", { d: ICONS[name] ?? "" }));
}

/** A button with an icon and an accessible name. */
export function iconButton(name: string, label: string, run: () => void, extra: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick: run, ...extra }, icon(name));
}
