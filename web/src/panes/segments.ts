// Mentions of tasks and instants in sentences.

export type Segment =
  | { text: string }
  | { text: string; key: string } // a task
  | { text: string; time: number }; // an instant, ns on the axis

/** Cuts a sentence where it names one of keys (a key that is a number only
 *  after "task" or a kind), and where it names an instant ("at 12.345 ms"). */
export function segments(sentence: string, keys: ReadonlySet<string>, kinds: ReadonlySet<string> = new Set()): Segment[] {
  const out: Segment[] = [];
  let from = 0;
  let before = "";
  const put = (at: number, s: Segment): void => {
    if (at > from) out.push({ text: sentence.slice(from, at) });
    out.push(s);
    from = at + s.text.length;
  };
  for (const m of sentence.matchAll(mention)) {
    if (m.groups!["time"]) put(m.index + 3, instantOf(m.groups!["time"]));
    else {
      const key = keyIn(m[0], keys);
      if (key !== null && (!/^[\d.]+$/.test(key) || /^tasks?$/.test(before) || kinds.has(before))) put(m.index, { text: key, key });
      before = m[0];
    }
  }
  if (from < sentence.length) out.push({ text: sentence.slice(from) });
  return out;
}

// "at 1.5 ms", or any word that could be a key.
const mention = /(?<=^|[\s(“"])(?:at (?<time>[+-]?\d[\d\u202f ]*(?:\.\d+)? (?:ns|µs|us|ms|s)\b)|[^\s,;:()“”"]+)/gu;

const units: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

function instantOf(text: string): Segment {
  const at = text.lastIndexOf(" ");
  const number = Number(text.slice(0, at).replace(/[\u202f ]/g, ""));
  return { text, time: Math.round(number * units[text.slice(at + 1)]!) };
}

// A full stop may be part of a key, or end the sentence.
function keyIn(word: string, keys: ReadonlySet<string>): string | null {
  if (keys.has(word)) return word;
  const bare = word.replace(/\.$/, "");
  return keys.has(bare) ? bare : null;
}
