// Options as the server describes them: which control shows one, and whether a
// text is a value of it. The server has the last word.
import { listOption } from "../view/options";
import type { OptionInfo } from "../api/types";

export type Control =
  | { type: "bool" }
  | { type: "choice"; choices: string[] }
  | { type: "several"; choices: string[] } // a list of a few words
  | { type: "number"; rule: Rule }
  | { type: "kinds" }
  | { type: "text" };

export interface Rule {
  min: number;
  max: number;
  open: boolean; // min itself is not allowed
  whole: boolean;
  words: string[]; // that stand for a number
  unit: string;
}

export function controlOf(info: OptionInfo): Control {
  if (info.want === "true or false") return { type: "bool" };
  if (info.want === "a list of kinds") return { type: "kinds" };
  if (info.list) {
    const words = /^a list of (\S+(?:, \S+)+)$/.exec(info.want);
    return words ? { type: "several", choices: words[1]!.split(", ") } : { type: "text" };
  }
  if (info.choices?.length) return { type: "choice", choices: info.choices };
  const rule = ruleOf(info.want);
  return rule ? { type: "number", rule } : { type: "text" };
}

/** Reads "a number above 0, at most 1", "ms above 0", "a whole number from 1 on, or source". */
export function ruleOf(want: string): Rule | null {
  const m = /^(a whole number|a number|ms|pixels|points)(?: above (\S+?))?(?: from (\S+)(?: on| to ([^\s,]+)))?(?:, at most (\S+))?(?:, or (\S+))?$/.exec(want);
  if (!m) return null;
  const [, noun, above, from, to, most, word] = m;
  return {
    min: Number((above ?? from ?? "-Infinity").replace(/,$/, "")), open: above !== undefined, max: Number(to ?? most ?? "Infinity"),
    whole: noun === "a whole number", words: word ? [word] : [], unit: noun!.startsWith("a ") ? "" : noun!,
  };
}

/** Why a text is no value of an option; null if it is, or is empty (the default). */
export function wrongValue(info: OptionInfo, text: string): string | null {
  const value = text.trim();
  const control = controlOf(info);
  if (value === "" || control.type !== "number") return null;
  const { rule } = control;
  if (rule.words.includes(value)) return null;
  const n = Number(value);
  const fits = Number.isFinite(n) && (rule.open ? n > rule.min : n >= rule.min) && n <= rule.max && (!rule.whole || Number.isInteger(n));
  return fits ? null : `found ${JSON.stringify(value)}, want ${info.want}`;
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
