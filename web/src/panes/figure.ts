// What a figure of the view is asked for with.
import type { App } from "../core/app";
import type { Params } from "../api/client";

export interface ExportChoice {
  format: "svg" | "pdf" | "png";
  width: number; // px
  theme: "light" | "dark";
  without: string[]; // panels of the view that are left out
}

export const sizes = [
  { width: 400, text: "400 px: a column" },
  { width: 800, text: "800 px: a page" },
  { width: 1200, text: "1200 px" },
  { width: 1920, text: "1920 px: a slide" },
  { width: 3840, text: "3840 px" },
];

/** Parameters of a figure of what is seen; null if no panel is left. */
export function exportParams(app: App, c: ExportChoice): Params | null {
  const { panels, window: w, options } = app.store.state;
  const shown = panels.filter((p) => !c.without.includes(p.id));
  const runs = app.runs();
  const first = runs[0];
  if (shown.length === 0 || !first) return null;
  const { align, ref } = app.params(first);
  return {
    format: c.format, runs: runs.map((r) => r.id).join(","), t0: Math.round(w.t0), t1: Math.round(w.t1), width: c.width, theme: c.theme,
    panels: shown.map((p) => (p.height === null ? p.id : `${p.id}:${Math.round(p.height)}`)).join(","),
    o: pairs(options).concat(shown.flatMap((p) => pairs(p.options))),
    align, ref,
  };
}

function pairs(options: Record<string, string>): string[] {
  return Object.entries(options).map(([k, v]) => `${k}=${v}`);
}
