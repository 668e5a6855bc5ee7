// Writes tiles for tests.

export class Writer {
  #out: number[] = [];

  raw(s: string): this {
    for (const c of s) this.#out.push(c.charCodeAt(0) & 255);
    return this;
  }

  u(v: number): this {
    while (v >= 128) {
      this.#out.push((v % 128) | 128);
      v = Math.floor(v / 128);
    }
    this.#out.push(v);
    return this;
  }

  s(v: number): this {
    return this.u(v >= 0 ? 2 * v : -2 * v - 1);
  }

  string(s: string): this {
    return this.u(s.length).raw(s);
  }

  color(c: number): this {
    this.#out.push(c >>> 24, (c >>> 16) & 255, (c >>> 8) & 255, c & 255);
    return this;
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#out);
  }
}

/** A generator of random numbers in [0, 1) that gives the same every time. */
export function random(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
