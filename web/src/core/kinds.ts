// Short names of kinds: those of one program often begin and end alike.

const long = 14, shared = 8, most = 30; // letters

/**
 * A short name for each long kind that shares its beginning or end with others:
 * "starpu_lu_model_gemm_openblas" among its like is "…gemm…". Names that would
 * not tell kinds apart stay long.
 */
export function shortNames(kinds: string[]): Map<string, string> {
  const all = [...new Set(kinds)], out = new Map<string, string>();
  for (const kind of all.filter((k) => k.length > long)) {
    const head = common(all.filter((k) => k.slice(0, shared) === kind.slice(0, shared)), false);
    const tail = common(all.filter((k) => k.slice(-shared) === kind.slice(-shared)), true);
    const core = head + tail < kind.length ? kind.slice(head, kind.length - tail) : "";
    if (core !== "") out.set(kind, middle(`${head > 0 ? "…" : ""}${core}${tail > 0 ? "…" : ""}`));
  }
  const seen = new Map<string, number>();
  for (const name of [...out.values(), ...all]) seen.set(name, (seen.get(name) ?? 0) + 1);
  for (const [kind, name] of out) if (seen.get(name)! > (name === kind ? 2 : 1)) out.delete(kind);
  return out;
}

// How many letters of the beginnings (or ends) are the same, up to where a word ends.
function common(names: string[], ends: boolean): number {
  if (names.length < 2) return 0;
  const at = (s: string, i: number) => (ends ? s[s.length - 1 - i] : s[i]);
  let n = 0;
  while (n < names[0]!.length && names.every((s) => at(s, n) === at(names[0]!, n))) n++;
  while (n > 0 && /\w/.test(at(names[0]!, n - 1)!) && at(names[0]!, n - 1) !== "_") n--;
  return n >= shared / 2 ? n : 0;
}

function middle(name: string): string {
  return name.length <= most ? name : `${name.slice(0, most / 2)}…${name.slice(-most / 2 + 1)}`;
}
