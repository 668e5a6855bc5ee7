// The side pane: tabs, of which one is open, or none.
import type { App, Pane } from "../core/app";
import { keep, kept } from "../core/kept";
import { h, listen } from "../widgets/dom";
import { tabList } from "../widgets/tabs";

const least = 280;
const roomy = 1100; // px of a page that has room for timeline and findings
const widthKey = "dagscope.side";

const closedKey = "dagscope.findings";

/** Opens the findings for who comes without a view of his own; not again once they were closed. */
export function welcome(app: App): void {
  if (location.hash === "" && innerWidth >= roomy && kept(closedKey) === null) app.store.set({ pane: "findings" }, { history: "replace" });
  let before = app.store.state.pane;
  app.store.subscribe(["pane"], ({ pane }) => {
    if (before === "findings" && pane === null) keep(closedKey, "closed");
    before = pane;
  });
}

/** Fills root with the tabs of panes; State.pane says which is open. */
export function mountSide(root: HTMLElement, app: App, panes: Pane[]): () => void {
  const body = h("div", { class: "side-body", role: "tabpanel", tabindex: "0" });
  const tabs = tabList("Side pane", panes, (id) => app.store.set({ pane: id }, { history: "replace" }));
  const close = h("button", { type: "button", class: "icon", "aria-label": "Close the side pane", title: "Close", onclick: () => app.store.set({ pane: null }, { history: "replace" }) }, "×");
  const grip = h("div", { class: "side-grip", role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the side pane", tabindex: "0" });
  root.classList.add("side");
  root.append(grip, h("div", { class: "side-head" }, tabs.root, close), body);
  resizable(root, grip);
  let open: { id: string; end: () => void } | null = null;
  const show = (): void => {
    const pane = panes.find((p) => p.id === app.store.state.pane);
    root.hidden = pane === undefined;
    if (open?.id === pane?.id) return;
    open?.end();
    body.replaceChildren();
    tabs.show(pane?.id ?? null);
    open = null;
    if (!pane) return;
    body.id = `pane-${pane.id}`;
    body.setAttribute("aria-labelledby", `tab-${pane.id}`);
    body.scrollTop = 0;
    const holder = h("div", { class: `pane pane-${pane.id}` });
    body.append(holder);
    open = { id: pane.id, end: pane.mount(holder, app) };
  };
  // Keys typed into fields are not keys of the timeline; Escape leaves the field.
  const quiet = listen(body, "keydown", (e: KeyboardEvent) => fieldKey(e));
  const stop = app.store.subscribe(["pane"], show);
  show();
  return () => {
    stop();
    quiet();
    open?.end();
  };
}

function fieldKey(e: KeyboardEvent): void {
  const el = e.target as HTMLElement;
  if (!el.matches("input:not([type=checkbox]), textarea, select")) return;
  if (e.key === "Escape") {
    el.blur();
    e.preventDefault();
  }
  if (!(e.ctrlKey || e.metaKey) || e.key.length > 1 || /^[acvxyz]$/i.test(e.key)) e.stopPropagation();
}

function resizable(root: HTMLElement, grip: HTMLElement): void {
  const set = (width: number): void => {
    const w = Math.round(Math.max(least, Math.min(width, innerWidth * 0.7)));
    root.style.setProperty("width", `${w}px`);
    grip.setAttribute("aria-valuenow", String(w));
    keep(widthKey, String(w));
  };
  set(Number(kept(widthKey)) || 476);
  grip.addEventListener("pointerdown", (e) => {
    e.preventDefault();
    grip.setPointerCapture(e.pointerId);
    const right = root.getBoundingClientRect().right;
    grip.onpointermove = (m) => set(right - m.clientX);
    grip.onpointerup = () => (grip.onpointermove = grip.onpointerup = null);
  });
  grip.addEventListener("keydown", (e) => {
    const by = e.key === "ArrowLeft" ? 20 : e.key === "ArrowRight" ? -20 : 0;
    if (by === 0) return;
    set(root.offsetWidth + by);
    e.preventDefault();
    e.stopPropagation();
  });
}
