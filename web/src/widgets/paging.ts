// Pages of a long table, and the mapping of its scroll bar: no browser lays
// out an element of 10⁷ rows, so from some height on the bar is proportional.

export interface Page<T> {
  total: number;
  rows: T[];
}
export type Fetch<T> = (offset: number, limit: number) => Promise<Page<T>>;

/** Rows by pages, the least recently used dropped. */
export class Pages<T> {
  total: number | null = null;
  private kept = new Map<number, T[]>();
  private asked = new Set<number>();
  private generation = 0;

  constructor(
    private fetch: Fetch<T>,
    private changed: (error?: Error) => void,
    readonly size = 400,
    private limit = 40,
  ) {}

  /** The row, or undefined while it is not here. */
  get(i: number): T | undefined {
    return this.kept.get(Math.floor(i / this.size))?.[i % this.size];
  }

  /** Forgets all, for another order or another question. */
  reset(fetch: Fetch<T>): void {
    this.fetch = fetch;
    this.generation++;
    this.kept.clear();
    this.asked.clear();
    this.total = null;
  }

  /** Whether rows [first, last], as far as there are so many, are here. */
  has(first: number, last: number): boolean {
    const end = Math.min(last, (this.total ?? 0) - 1);
    for (let p = Math.max(0, Math.floor(first / this.size)); p <= Math.floor(end / this.size); p++) if (!this.touch(p)) return false;
    return true;
  }

  /** Asks for the pages of rows [first, last] that are not here. */
  want(first: number, last: number): void {
    const end = this.total === null ? Math.max(last, 0) : Math.min(last, this.total - 1);
    for (let p = Math.max(0, Math.floor(first / this.size)); p <= Math.floor(end / this.size); p++) {
      if (this.touch(p) || this.asked.has(p)) continue;
      void this.load(p);
    }
  }

  /** The rows [first, last], loaded if need be; at most `most`. */
  async range(first: number, last: number, most: number): Promise<T[]> {
    const end = Math.min(last, first + most - 1);
    const rows: T[] = [];
    for (let p = Math.floor(first / this.size); p <= Math.floor(end / this.size); p++) {
      const page = this.kept.get(p) ?? (await this.fetch(p * this.size, this.size)).rows;
      rows.push(...page.slice(Math.max(0, first - p * this.size), end - p * this.size + 1));
    }
    return rows;
  }

  private touch(p: number): boolean {
    const page = this.kept.get(p);
    if (!page) return false;
    this.kept.delete(p);
    this.kept.set(p, page);
    return true;
  }

  private async load(p: number): Promise<void> {
    const generation = this.generation;
    this.asked.add(p);
    try {
      const page = await this.fetch(p * this.size, this.size);
      if (generation !== this.generation) return;
      this.keep(p, page);
      this.changed();
    } catch (error) {
      if (generation === this.generation) this.changed(error as Error);
    } finally {
      if (generation === this.generation) this.asked.delete(p);
    }
  }

  private keep(p: number, page: Page<T>): void {
    this.total = page.total;
    this.kept.set(p, page.rows);
    for (const old of this.kept.keys()) {
      if (this.kept.size <= this.limit) break;
      this.kept.delete(old);
    }
  }
}

/** Height that every browser lays out. */
export const maxHeight = 8_000_000;

/** The scroll bar of `total` rows. */
export class Scroll {
  readonly height: number; // of the content, px
  constructor(
    readonly total: number,
    readonly rowHeight: number,
    readonly view: number, // px that are visible
  ) {
    this.height = Math.min(maxHeight, total * rowHeight);
  }

  /** The first visible row, with its fraction, at a place of the bar. */
  row(top: number): number {
    const full = this.total * this.rowHeight;
    if (full <= maxHeight) return Math.max(0, top) / this.rowHeight;
    const run = Math.max(1, this.height - this.view);
    return (Math.min(Math.max(top, 0), run) / run) * ((full - this.view) / this.rowHeight);
  }

  /** The place of the bar at which row is the first visible one. */
  top(row: number): number {
    const full = this.total * this.rowHeight;
    if (full <= maxHeight) return row * this.rowHeight;
    return (row / ((full - this.view) / this.rowHeight)) * (this.height - this.view);
  }

  /** Where to scroll, from top, so that row is seen whole; null if it is. */
  reveal(row: number, top: number): number | null {
    const first = this.row(top);
    const rows = this.view / this.rowHeight;
    if (row < first) return this.top(row);
    if (row + 1 > first + rows) return this.top(Math.max(0, row + 1 - rows));
    return null;
  }
}
