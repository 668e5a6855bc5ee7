// Steps and plays a panel that shows one instant (its option "at") through the
// window.
import type { PanelInfo } from "../api/types";
import type { App } from "../core/app";
import { instant } from "../core/time";
import { h } from "../widgets/dom";
import { icon, iconButton } from "../widgets/icons";
import { listOption, withOption } from "./options";
import type { Slot } from "./slot";

const STEPS = 100; // from edge to edge of the window
const PAUSE = 120; // ms between pictures at least

let playing: { panel: string; timer: number } | null = null;

function stop(): void {
  if (!playing) return;
  clearInterval(playing.timer);
  const button = document.querySelector(`[data-panel="${CSS.escape(playing.panel)}"] .player-play`);
  playing = null;
  if (button) look(button, false);
}

// The button is another one after each step: panels are made again.
function look(button: Element, active: boolean): void {
  const label = active ? "Pause" : "Play through the window";
  button.setAttribute("aria-label", label);
  button.setAttribute("title", label);
  button.replaceChildren(icon(active ? "pause" : "play"));
}

/** The controls of a panel; null for one that has no such option. */
export function player(app: App, info: PanelInfo, slots: Slot[]): HTMLElement | null {
  const panel = info.id, key = `${panel}.at`;
  if (!info.options.some((o) => o.key === key)) return null;
  const { store } = app, on = playing?.panel === panel;
  const options = () => store.state.panels.find((p) => p.id === panel)?.options;
  const now = () => {
    const ms = Number(listOption(options() ?? {}, key)[0] ?? NaN);
    return Number.isFinite(ms) ? ms * 1e6 : null;
  };
  const show = (t: number) => {
    const value = String(Math.round(t) / 1e6);
    store.set({ panels: store.state.panels.map((p) => (p.id === panel ? { ...p, options: withOption(p.options, key, value) } : p)) }, { history: "replace" });
  };
  /** Goes on by some steps; false where the window ends. */
  const step = (by: number): boolean => {
    const { t0, t1 } = store.state.window, width = (t1 - t0) / STEPS, at = now() ?? (playing ? t0 : (t0 + t1) / 2);
    const next = at + by * width;
    if (at < t0 || at > t1) show(by > 0 ? t0 : t1);
    else if (next < t0 || next > t1) return false;
    else show(next);
    return true;
  };
  const settled = () => slots.every((s) => !s.frameBusy && s.paintedSeq >= s.seq);
  const stepBy = (by: number) => {
    stop();
    if (!step(by)) app.announce("The window ends here");
    else app.announce(`Snapshot at ${instant((now() ?? 0) - store.state.origin, 1e3)}`);
  };
  const play = () => {
    const again = playing?.panel === panel;
    stop();
    if (again) return;
    const timer = window.setInterval(() => {
      if (!options()) stop(); // the panel is gone
      else if (settled() && !step(1)) stop();
    }, PAUSE);
    playing = { panel, timer };
    const t = now(), { t0, t1 } = store.state.window;
    show(t === null || t < t0 || t >= t1 - (t1 - t0) / STEPS ? t0 : t);
  };
  const button = iconButton("play", "", play, { class: "player-play icon-button" });
  look(button, on);
  return h("span", { class: "player", role: "group", "aria-label": "Instant" },
    iconButton("stepback", "Earlier instant", () => stepBy(-1), { class: "player-back icon-button" }), button,
    iconButton("stepon", "Later instant", () => stepBy(1), { class: "player-on icon-button" }));
}
