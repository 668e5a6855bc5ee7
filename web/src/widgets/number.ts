/** A whole number in groups of three, with thin spaces as on the panels: "9 962 680". */
export function grouped(n: number): string {
  return n.toLocaleString("en-US").replaceAll(",", "\u202f");
}
