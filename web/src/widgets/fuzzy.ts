// Fuzzy matching for the palette: the letters of the query must come in the
// text in their order; matches at starts of words and in runs are better.

export interface Match {
  score: number;
  at: number[]; // places of the letters that matched
}

const wordStart = 8;
const atStart = 12;
const inRun = 9; // more than a start of a word: "fit" means Fit, not Follow its task
const gapCost = 0.15; // for each letter skipped inside a match
const lengthCost = 0.02; // short texts first

/** Finds the best match of query in text; null where there is none. */
export function fuzzy(query: string, text: string): Match | null {
  const q = query.toLowerCase().replace(/\s+/g, "");
  if (q === "") return { score: 0, at: [] };
  const t = text.toLowerCase();
  if (t.length !== text.length) return null; // letters that change length in lower case: places would lie
  return best(q, t, text);
}

// score[i][j]: best score of matching q[0..i] with q[i] at t[j].
function best(q: string, t: string, text: string): Match | null {
  const n = t.length;
  const score = new Float64Array(q.length * n).fill(-Infinity);
  const from = new Int32Array(q.length * n).fill(-1);
  for (let i = 0; i < q.length; i++) {
    let reach = -Infinity; // best of the row above, left of j−1, with its gap paid
    let reachAt = -1;
    for (let j = 0; j < n; j++) {
      if (j > 1 && i > 0) {
        reach -= gapCost;
        const above = score[(i - 1) * n + j - 2]! - gapCost;
        if (above > reach) [reach, reachAt] = [above, j - 2];
      }
      if (t[j] !== q[i]) continue;
      const run = i > 0 && j > 0 ? score[(i - 1) * n + j - 1]! + inRun : -Infinity;
      const here = i === 0 ? 0 : Math.max(run, reach);
      if (here === -Infinity) continue;
      score[i * n + j] = here + 1 + (j === 0 ? atStart : startsWord(text, j) ? wordStart : 0);
      from[i * n + j] = i === 0 ? -1 : run >= reach ? j - 1 : reachAt;
    }
  }
  return trace(q.length, n, score, from);
}

function trace(m: number, n: number, score: Float64Array, from: Int32Array): Match | null {
  let end = -1;
  for (let j = 0; j < n; j++) {
    if (score[(m - 1) * n + j]! > (end < 0 ? -Infinity : score[(m - 1) * n + end]!)) end = j;
  }
  if (end < 0) return null;
  const at = [end];
  for (let i = m - 1; i > 0; i--) at.unshift(from[i * n + at[0]!]!);
  return { score: score[(m - 1) * n + end]! - lengthCost * n, at };
}

function startsWord(text: string, j: number): boolean {
  if (j === 0) return true;
  const before = text[j - 1]!;
  if (!/[\p{L}\p{N}]/u.test(before)) return true;
  return /\p{Ll}/u.test(before) && /\p{Lu}/u.test(text[j]!);
}

/** Sorts what matches, best first; equals keep their order. */
export function rank<T>(query: string, items: T[], text: (item: T) => string): { item: T; match: Match }[] {
  const found: { item: T; match: Match }[] = [];
  for (const item of items) {
    const match = fuzzy(query, text(item));
    if (match) found.push({ item, match });
  }
  return query.trim() === "" ? found : found.sort((a, b) => b.match.score - a.match.score);
}
