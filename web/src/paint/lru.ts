// What was used least recently goes when there are too many bytes.

export class Lru<T> {
  #items = new Map<string, { value: T; bytes: number }>();
  #bytes = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): T | undefined {
    const item = this.#items.get(key);
    if (!item) return undefined;
    this.#items.delete(key);
    this.#items.set(key, item);
    return item.value;
  }

  /** Looks without making it recent. */
  has(key: string): boolean {
    return this.#items.has(key);
  }

  set(key: string, value: T, bytes: number): void {
    this.#bytes += bytes - (this.#items.get(key)?.bytes ?? 0);
    this.#items.delete(key);
    this.#items.set(key, { value, bytes });
    for (const [k, item] of this.#items) {
      if (this.#bytes <= this.#limit || k === key) break;
      this.#items.delete(k);
      this.#bytes -= item.bytes;
    }
  }
}
