/** A cell of a table that came out of a query. */
export type Cell = string | number | boolean | null;

/** Lines of RFC 4180; null is empty. Texts that a spreadsheet would calculate begin with an apostrophe, as in CSV of the program. */
export function toCSV(columns: string[], rows: Cell[][]): string {
  return [columns, ...rows].map((row) => row.map(quoteCSV).join(",") + "\r\n").join("");
}

function quoteCSV(cell: Cell): string {
  const s = spreadsheetCell(cell);
  return /[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s;
}

/** A cell as a spreadsheet takes it: a name that begins like a formula is none; numbers stay numbers, also as texts (internal/csvcell). */
function spreadsheetCell(cell: Cell): string {
  const s = cell === null ? "" : String(cell);
  const number = /^[+-](\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(s);
  return typeof cell === "string" && /^[=+\-@\t\r]/.test(s) && !number ? `'${s}` : s;
}

/** Columns by tabs, as spreadsheets paste them: no cell may hold a tab or a line end. */
export function toTSV(rows: Cell[][]): string {
  return rows.map((row) => row.map((c) => spreadsheetCell(c).replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");
}

/** Records of a CSV text, quoted cells included. */
export function parseCSV(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const m of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g)) {
    if (m.index === text.length && row.length === 0) break;
    const cell = m[1]!;
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (m[2] !== ",") {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

/** Hands a text to the user as a file. */
export function download(name: string, text: string, type = "text/csv"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
