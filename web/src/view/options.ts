// Options that hold lists: items between commas; "\\," is a comma in one. And the
// one that switches the critical chain.
import type { State } from "../core/store";

export function listOption(options: Record<string, string>, key: string): string[] {
  const v = options[key];
  return v ? v.split(/(?<!\\),/).map((s) => s.trim().replaceAll("\\,", ",")).filter((s) => s !== "") : [];
}

/** Options with a key set; an empty value takes the key out. */
export function withOption(options: Record<string, string>, key: string, value: string): Record<string, string> {
  const out = { ...options };
  if (value === "") delete out[key];
  else out[key] = value;
  return out;
}

export function withList(options: Record<string, string>, key: string, items: string[]): Record<string, string> {
  return withOption(options, key, [...new Set(items)].map((s) => s.replaceAll(",", "\\,")).join(","));
}

/** Adds an item, or takes it out if it is there. */
export function toggled(items: string[], item: string): string[] {
  return items.includes(item) ? items.filter((i) => i !== item) : [...items, item];
}

const CHAIN = "st.chain"; // of the space-time panel

/** Whether the critical chain is drawn over the rows. */
export function chainShown(state: Readonly<State>): boolean {
  return state.panels.some((p) => p.id === "st" && { ...state.options, ...p.options }[CHAIN] === "true");
}

export function withChain(options: Record<string, string>, on: boolean): Record<string, string> {
  return withOption(options, CHAIN, on ? "true" : "");
}
