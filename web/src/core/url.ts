// The permalink: the whole state as the hash of the URL, readable, with a
// version, defaults left out.
//
//   #v=1&w=0,2.5e9&p=st:400,ready&o=focus=dgemm&sel=run~1234
//
// Parts of a value are set apart by ",", ":" and "~"; names are written with
// these three escaped as %XX on top of the encoding of the URL.
import { emptyState, type Align, type PanelState, type Span, type State, type Theme } from "./store";

export const VERSION = 1;

export interface Parsed {
  state: Partial<State>; // what the URL says; the rest is left to defaults
  message: string; // what could not be understood, "" if all was
}

// Half a surrogate pair cannot be encoded.
const enc = (s: string) => encodeURIComponent(s.replace(/[\ud800-\udfff]/gu, "\ufffd")).replace(/[!'()*~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
const dec = decodeURIComponent;

interface Field {
  key: string; // in the URL
  write(s: State, base: State): string[]; // values, one per repetition; none: default
  read(values: string[], out: Partial<State>): void; // throws if they make no sense
}

const span = (s: Span) => `${s.t0},${s.t1}`;

function readSpan(v: string): Span {
  const [a, b, ...more] = v.split(",").map(time);
  if (more.length > 0 || a === undefined || b === undefined || !(b > a)) throw new Error("two rising times are wanted");
  return { t0: a, t1: b };
}

const MOST = 2 ** 53; // ns either side of zero: what numbers hold exactly

function time(v: string): number {
  const t = num(v);
  if (Math.abs(t) > MOST) throw new Error(`${v.trim()} ns is more than ${MOST / 864e11 | 0} days`);
  return t;
}

function num(v: string): number {
  const n = Number(v);
  if (v.trim() === "" || !Number.isFinite(n)) throw new Error(`${JSON.stringify(v)} is no number`);
  return n;
}

function word<T extends string>(v: string, words: readonly T[]): T {
  if (!words.includes(v as T)) throw new Error(`one of ${words.join(", ")} is wanted`);
  return v as T;
}

function writePairs(o: Record<string, string>): string[] {
  return Object.entries(o).map(([k, v]) => `${enc(k)}:${enc(v)}`);
}

function readPair(v: string): [string, string] {
  const at = v.indexOf(":");
  if (at < 1) throw new Error("KEY:VALUE is wanted");
  return [dec(v.slice(0, at)), dec(v.slice(at + 1))];
}

// A panel: id[:height][~key:value]…
function writePanel(p: PanelState): string {
  return [enc(p.id) + (p.height === null ? "" : ":" + p.height), ...writePairs(p.options)].join("~");
}

function readPanel(v: string): PanelState {
  const [head = "", ...pairs] = v.split("~");
  const [id = "", height] = head.split(":");
  if (id === "") throw new Error("a panel without id");
  const h = height === undefined ? null : num(height);
  if (h !== null && !(h >= 10 && h <= 20000)) throw new Error(`height ${h} of panel ${id} is not from 10 to 20000 px`);
  return { id: dec(id), height: h, options: Object.fromEntries(pairs.map(readPair)) };
}

const two = (a: string, b: string) => `${enc(a)}~${enc(b)}`;

function readTwo(v: string): [string, string] {
  const parts = v.split("~");
  if (parts.length !== 2) throw new Error("A~B is wanted");
  return [dec(parts[0]!), dec(parts[1]!)];
}

const single = (key: string, write: Field["write"], read: (v: string, out: Partial<State>) => void): Field => ({
  key, write, read: (values, out) => read(values[0]!, out),
});

const fields: Field[] = [
  {
    key: "run",
    write: (s) => s.runs.map((r) => two(r.name, r.checksum)),
    read: (values, out) => (out.runs = values.map(readTwo).map(([name, checksum]) => ({ name, checksum }))),
  },
  single("w", (s, base) => (span(s.window) === span(base.window) && s.runs.length === 0 && s.align === "none" ? [] : [span(s.window)]), (v, out) => (out.window = readSpan(v))),
  single("p", (s, base) => {
    const value = s.panels.map(writePanel).join(",");
    return value === base.panels.map(writePanel).join(",") ? [] : [value];
  }, (v, out) => (out.panels = v === "" ? [] : v.split(",").map(readPanel))),
  { key: "o", write: (s) => writePairs(s.options), read: (values, out) => (out.options = Object.fromEntries(values.map(readPair))) },
  single("align", (s) => (s.align === "none" ? [] : [s.align]), (v, out) => (out.align = word<Align>(v, ["none", "start", "end", "progress", "iteration"]))),
  single("origin", (s) => (s.origin === 0 ? [] : [String(s.origin)]), (v, out) => (out.origin = time(v))),
  single("sel", (s) => (s.selected ? [two(s.selected.run, s.selected.key)] : []), (v, out) => {
    const [run, key] = readTwo(v);
    out.selected = { run, key };
  }),
  single("area", (s) => (s.area ? [writeArea(s.area)] : []), (v, out) => (out.area = readArea(v))),
  single("pane", (s) => (s.pane === null ? [] : [enc(s.pane)]), (v, out) => (out.pane = dec(v))),
  single("levels", (s) => (s.levels === emptyState().levels ? [] : [String(s.levels)]), (v, out) => {
    out.levels = num(v);
    if (!Number.isInteger(out.levels) || out.levels < -1) throw new Error("a whole number from −1 is wanted");
  }),
  single("ruler", (s) => (s.ruler ? [span(s.ruler)] : []), (v, out) => (out.ruler = readSpan(v))),
  {
    key: "note",
    write: (s) => s.notes.map((n) => `${n.t}:${enc(n.text)}`),
    read: (values, out) => (out.notes = values.map(readPair).map(([t, text]) => ({ t: time(t), text }))),
  },
  single("theme", (s) => (s.theme === "auto" ? [] : [s.theme]), (v, out) => (out.theme = word<Theme>(v, ["auto", "light", "dark"]))),
  single("q", (s) => (s.search === "" ? [] : [enc(s.search)]), (v, out) => (out.search = dec(v))),
  single("marks", (s) => (s.marks ? [`${enc(s.marks.label)}:${s.marks.times.join(",")}`] : []), (v, out) => {
    const [label, times] = readPair(v);
    out.marks = { label, times: times === "" ? [] : times.split(",").map(time) };
  }),
];

// run~t0,t1[~w:names][~k:kinds][~min:ns][~max:ns][~dim:1]
function writeArea(a: NonNullable<State["area"]>): string {
  const parts = [enc(a.run), span(a)];
  if (a.workers) parts.push("w:" + a.workers.map(enc).join(","));
  if (a.kinds) parts.push("k:" + a.kinds.map(enc).join(","));
  if (a.min !== undefined) parts.push("min:" + a.min);
  if (a.max !== undefined) parts.push("max:" + a.max);
  if (a.dim) parts.push("dim:1");
  return parts.join("~");
}

function readArea(v: string): NonNullable<State["area"]> {
  const [run = "", times = "", ...rest] = v.split("~");
  const area: NonNullable<State["area"]> = { run: dec(run), ...readSpan(times), workers: null };
  const names = (s: string) => (s === "" ? [] : s.split(",").map(dec));
  for (const part of rest) {
    const at = part.indexOf(":"), key = part.slice(0, at), value = part.slice(at + 1);
    if (key === "w") area.workers = names(value);
    else if (key === "k") area.kinds = names(value);
    else if (key === "min") area.min = num(value);
    else if (key === "max") area.max = num(value);
    else if (key === "dim") area.dim = value === "1";
    else throw new Error(`unknown part ${JSON.stringify(part)}`);
  }
  return area;
}

/** The hash of a state, without "#"; base: the state that a bare URL opens. */
export function writeHash(state: State, base: State): string {
  const parts = [`v=${VERSION}`];
  for (const f of fields) for (const v of f.write(state, base)) parts.push(`${f.key}=${v}`);
  return parts.join("&");
}

/** Reads a hash, with or without "#". What makes no sense is left to its default and said. */
export function readHash(hash: string): Parsed {
  const text = hash.replace(/^#/, "");
  if (text === "") return { state: {}, message: "" };
  const values = new Map<string, string[]>();
  for (const part of text.split("&")) {
    const at = part.indexOf("=");
    const key = at < 0 ? part : part.slice(0, at);
    values.set(key, [...(values.get(key) ?? []), at < 0 ? "" : part.slice(at + 1)]);
  }
  const version = values.get("v")?.[0];
  if (version === undefined) return { state: {}, message: "The address holds no view (v= is missing); this is the whole run." };
  if (version !== String(VERSION))
    return { state: {}, message: `The address is of version ${dec_(version)}, this page understands version ${VERSION}; this is the whole run.` };
  values.delete("v");
  return readFields(values);
}

function readFields(values: Map<string, string[]>): Parsed {
  const state: Partial<State> = {}, wrong: string[] = [];
  for (const f of fields) {
    const v = values.get(f.key);
    values.delete(f.key);
    if (!v) continue;
    try {
      f.read(v, state);
    } catch (err) {
      delete state[stateKey(f.key)];
      wrong.push(`${f.key} (${err instanceof URIError ? "badly encoded" : (err as Error).message})`);
    }
  }
  wrong.push(...[...values.keys()].map((k) => `${dec_(k)} (unknown)`));
  return { state, message: wrong.length === 0 ? "" : `Left out of the address: ${wrong.join(", ")}.` };
}

const STATE_KEYS: Record<string, keyof State> = { run: "runs", w: "window", p: "panels", o: "options", sel: "selected", note: "notes", q: "search" };

function stateKey(key: string): keyof State {
  return STATE_KEYS[key] ?? (key as keyof State);
}

function dec_(s: string): string {
  try {
    return JSON.stringify(dec(s));
  } catch {
    return JSON.stringify(s);
  }
}
