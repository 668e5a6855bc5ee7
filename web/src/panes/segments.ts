// Mentions of tasks and instants in sentences.

export type Segment =
  | { text: string }
  | { text: string; key: string } // a task
  | { text: string; time: number }; // an instant, ns on the axis

/** Cuts a sentence where it names a task, as "KIND KEY" or "task KEY", and
 *  where it names an instant ("at 12.345 ms"). */
export function segments(sentence: string, kinds: readonly string[], known: ReadonlySet<string> = new Set()): Segment[] {
  const out: Segment[] = [];
  let from = 0;
  const put = (at: number, s: Segment): void => {
    if (at > from) out.push({ text: sentence.slice(from, at) });
    out.push(s);
    from = at + s.text.length;
  };
  for (const m of sentence.matchAll(mentions(kinds))) {
    const { time, kind, key } = m.groups!;
    if (time) put(m.index + m[0].length - time.length, instantOf(time));
    else if (isKey(key!, known)) put(m.index, { text: `${kind} ${bare(key!)}`, key: bare(key!) });
  }
  if (from < sentence.length) out.push({ text: sentence.slice(from) });
  return out;
}

function mentions(kinds: readonly string[]): RegExp {
  const names = [...kinds, "task"].filter((k) => k !== "").sort((a, b) => b.length - a.length).map(escape).join("|");
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:at (?<time>[+−-]?\\d[\\d\u202f ]*(?:\\.\\d+)? (?:ns|µs|us|ms|s)(?![\\p{L}]))|(?<kind>${names}) (?<key>[^\\s,;:()“”"]+))`, "gu");
}

function escape(s: string): string {
  return s.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

// "the 220 GEMM tasks": a word after a kind is a key if it is known, or has a digit.
function isKey(word: string, known: ReadonlySet<string>): boolean {
  return known.has(bare(word)) || /\d/.test(word);
}

function bare(word: string): string {
  return word.replace(/\.$/, "");
}

const units: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

function instantOf(text: string): Segment {
  const at = text.lastIndexOf(" ");
  const number = Number(text.slice(0, at).replace(/[\u202f ]/g, "").replace("−", "-"));
  return { text, time: Math.round(number * units[text.slice(at + 1)]!) };
}
