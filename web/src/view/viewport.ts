// The window on the time axis: where it is now and where it is going.
import { calm } from "../core/theme";
import type { Span } from "../core/store";

const ANIMATION_MS = 180;
const SETTLE_MS = 140; // without a move

export class Viewport {
  now: Span;
  target: Span;
  /** All there is, and the shortest window, ns. A little more than all can be seen. */
  limits: Span = { t0: 0, t1: 1 };
  readonly shortest = 200;
  #from: Span;
  #began: number | null = null; // of the animation under way
  #timer = 0;
  readonly #moved: () => void;
  readonly #settled: (s: Span) => void;

  constructor(at: Span, moved: () => void, settled: (s: Span) => void) {
    this.now = this.target = this.#from = at;
    this.#moved = moved;
    this.#settled = settled;
  }

  get moving(): boolean {
    return this.#began !== null || this.#timer !== 0;
  }

  /** Goes there at once: a drag. */
  jump(s: Span): void {
    if (s.t1 <= s.t0) return; // all of runs that are still being loaded
    this.#began = null;
    this.now = this.target = this.#clamp(s);
    this.#later();
    this.#moved();
  }

  /** Goes there within a few frames. */
  glide(s: Span): void {
    if (s.t1 <= s.t0) return;
    if (calm()) return this.jump(s);
    this.target = this.#clamp(s);
    this.#from = this.now;
    this.#began = performance.now();
    this.#later();
    this.#moved();
  }

  /** Goes there without being a move of the user's: undo, the back button. */
  follow(s: Span): void {
    if (s.t0 === this.target.t0 && s.t1 === this.target.t1) return;
    this.glide(s);
  }

  pan(ns: number): void {
    this.jump({ t0: this.now.t0 + ns, t1: this.now.t1 + ns });
  }

  /** Makes the window `factor` as long, keeping the instant `at` where it is. */
  zoom(factor: number, at: number, animated: boolean): void {
    const s = this.target, length = Math.max(this.shortest, (s.t1 - s.t0) * factor);
    const share = (at - this.now.t0) / (this.now.t1 - this.now.t0);
    const t0 = at - share * length;
    (animated ? this.glide : this.jump).call(this, { t0, t1: t0 + length });
  }

  /** Moves an animation on; false when there is none. */
  step(time: number): boolean {
    if (this.#began === null) return false;
    const f = Math.min(1, Math.max(0, time - this.#began) / ANIMATION_MS), e = 1 - (1 - f) ** 3;
    this.now = between(this.#from, this.target, e);
    if (f === 1) {
      this.now = this.target;
      this.#began = null;
    }
    return true;
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      if (this.#began !== null) this.now = this.target;
      this.#began = null;
      this.#moved();
      this.#settled(this.target);
    }, calm() ? SETTLE_MS : Math.max(SETTLE_MS, this.#began !== null ? ANIMATION_MS + 20 : 0));
  }

  // Whole ns, near what there is.
  #clamp(s: Span): Span {
    const all = this.limits.t1 - this.limits.t0, most = all * 1.1;
    if (all <= 0) return { t0: Math.round(s.t0), t1: Math.round(s.t1) };
    const length = Math.min(most, Math.max(this.shortest, s.t1 - s.t0));
    let t0 = length === s.t1 - s.t0 ? s.t0 : (s.t0 + s.t1 - length) / 2;
    const slack = Math.min(length * 0.5, all * 0.1);
    t0 = Math.min(Math.max(t0, this.limits.t0 - slack), this.limits.t1 + slack - length);
    if (this.limits.t1 + slack - length < this.limits.t0 - slack) t0 = (this.limits.t0 + this.limits.t1 - length) / 2;
    t0 = Math.round(t0);
    return { t0, t1: t0 + Math.round(length) };
  }
}

// The length grows by a factor, so that zooming keeps its speed; the place that both have in common stays.
function between(a: Span, b: Span, f: number): Span {
  const la = a.t1 - a.t0, lb = b.t1 - b.t0;
  if (Math.abs(la - lb) < 1e-6 * la) return { t0: a.t0 + (b.t0 - a.t0) * f, t1: a.t1 + (b.t1 - a.t1) * f };
  const length = la * (lb / la) ** f, g = (length - la) / (lb - la);
  const t0 = a.t0 + (b.t0 - a.t0) * g;
  return { t0, t1: t0 + length };
}
