// Options as the server describes them: which control shows one, and whether a
// text is a value of it. The server has the last word.
import { listOption } from "../view/options";
import type { OptionInfo } from "../api/types";

export type Control = "bool" | "choice" | "several" | "kinds" | "text"; // several: a list of a few words

export function controlOf({ type }: OptionInfo): Control {
  switch (type.kind) {
    case "bool": return "bool";
    case "word": return type.list ? "several" : "choice";
    case "kind": return type.list ? "kinds" : "text";
    default: return "text";
  }
}

/** Why a text is no value of an option; null if it is, or is empty (the default). */
export function wrongValue(info: OptionInfo, text: string): string | null {
  const value = text.trim();
  const { type } = info;
  if (value === "" || type.kind !== "number" || type.list || type.words?.includes(value)) return null;
  const n = Number(value);
  const least = type.min ?? -Infinity;
  const fits = Number.isFinite(n) && (type.above ? n > least : n >= least) && n <= (type.max ?? Infinity) && (!type.whole || Number.isInteger(n));
  return fits ? null : `found ${JSON.stringify(value)}, want ${type.text}`;
}

/** The options with one changed; a value that is the default is left out. */
export function withOption(options: Record<string, string>, info: OptionInfo, value: string): Record<string, string> {
  const next = { ...options };
  if (value === (info.default ?? "")) delete next[info.key];
  else next[info.key] = value;
  return next;
}

/** Items of a list as it is written: with commas between. */
export function items(text: string): string[] {
  return listOption({ list: text }, "list");
}

/** "links.last_path" as people read it, without the panel's prefix. */
export function optionTitle(key: string, panel?: string): string {
  const own = panel && key.startsWith(panel + ".") ? key.slice(panel.length + 1) : key;
  return own.replace(/[._]/g, " ");
}
