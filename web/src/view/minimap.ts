// The whole run in a strip above the axis, with the visible window as a handle.
import type { App } from "../core/app";
import type { Picture } from "../paint/client";
import { h } from "../widgets/dom";
import type { Viewport } from "./viewport";

const HEIGHT = 40;

export class Minimap {
  readonly root: HTMLElement;
  readonly height = HEIGHT;
  painted = false;
  readonly #canvas = h("canvas", { "aria-hidden": "true" });
  readonly #handle = h("div", { class: "minimap-window", role: "slider", tabindex: 0, "aria-label": "Visible window", "aria-orientation": "horizontal" });
  readonly #track: HTMLElement;
  readonly #band = h("div", { class: "minimap-band", hidden: true });
  readonly #viewport: Viewport;
  #width = 100;

  constructor(app: App, viewport: Viewport) {
    this.#viewport = viewport;
    this.#track = h("div", { class: "minimap-track" }, this.#canvas, this.#band, this.#handle);
    this.root = h("div", { class: "minimap", title: "The whole run: drag the window, or drag beside it to zoom to a range" }, this.#track);
    this.#track.addEventListener("pointerdown", (e) => this.#press(e));
    this.#track.addEventListener("dblclick", () => app.commands.run("view.fit"));
    this.#track.addEventListener("wheel", (e) => {
      e.preventDefault();
      viewport.zoom(1.0015 ** e.deltaY, this.#time(e.clientX), false);
    }, { passive: false });
  }

  resize(width: number): void {
    this.#width = width;
    this.#canvas.style.width = `${width}px`;
  }

  setPicture(p: Picture): void {
    this.painted = true;
    this.#canvas.getContext("bitmaprenderer")!.transferFromImageBitmap(p.bitmap);
    this.#canvas.style.height = `${HEIGHT}px`;
  }

  draw(): void {
    const { limits, now } = this.#viewport, all = limits.t1 - limits.t0;
    const x0 = ((now.t0 - limits.t0) / all) * this.#width, x1 = ((now.t1 - limits.t0) / all) * this.#width;
    const from = Math.max(0, Math.min(this.#width - 3, x0)), to = Math.min(this.#width, Math.max(from + 3, x1));
    this.#handle.style.transform = `translateX(${from}px)`;
    this.#handle.style.width = `${to - from}px`;
    this.#handle.setAttribute("aria-valuemin", "0");
    this.#handle.setAttribute("aria-valuemax", "100");
    this.#handle.setAttribute("aria-valuenow", String(Math.round(((now.t0 + now.t1) / 2 - limits.t0) / all * 100)));
  }

  #time(clientX: number): number {
    const { limits } = this.#viewport, share = (clientX - this.#track.getBoundingClientRect().left) / this.#width;
    return limits.t0 + Math.max(0, Math.min(1, share)) * (limits.t1 - limits.t0);
  }

  #press(e: PointerEvent): void {
    if (e.button !== 0) return;
    const onHandle = e.target === this.#handle && this.#handle.offsetWidth < this.#width * 0.97;
    this.#track.setPointerCapture(e.pointerId);
    const begin = this.#time(e.clientX), window = this.#viewport.target;
    const move = (m: PointerEvent) => {
      const by = this.#time(m.clientX) - begin;
      if (onHandle) this.#viewport.jump({ t0: window.t0 + by, t1: window.t1 + by });
      else this.#showBand(e.clientX, m.clientX);
    };
    const up = (m: PointerEvent) => {
      this.#track.removeEventListener("pointermove", move);
      this.#band.hidden = true;
      if (onHandle) return;
      const end = this.#time(m.clientX), half = (window.t1 - window.t0) / 2;
      if (Math.abs(m.clientX - e.clientX) > 3) this.#viewport.glide({ t0: Math.min(begin, end), t1: Math.max(begin, end) });
      else this.#viewport.glide({ t0: begin - half, t1: begin + half });
    };
    this.#track.addEventListener("pointermove", move);
    this.#track.addEventListener("pointerup", up, { once: true });
  }

  #showBand(a: number, b: number): void {
    const left = this.#track.getBoundingClientRect().left;
    this.#band.hidden = Math.abs(a - b) < 3;
    this.#band.style.left = `${Math.min(a, b) - left}px`;
    this.#band.style.width = `${Math.abs(a - b)}px`;
  }
}
