import "./style/main.css";
import { openArchive } from "./api/archive";
import { Api, httpSource, type Source } from "./api/client";
import type { Session } from "./api/types";
import type { App } from "./core/app";
import { Commands } from "./core/commands";
import { History } from "./core/history";
import { SessionWatch } from "./core/session";
import { baseState, findRun, firstSession, followWindow, misfits, refOf, sharedParams, shownRuns, wholeWindow } from "./core/start";
import { Store } from "./core/store";
import { followTheme } from "./core/theme";
import { readHash } from "./core/url";
import { install, side, welcome } from "./panes";
import { fitTask, frameStep, registerActions } from "./view/actions";
import { Banner, Status } from "./view/banner";
import { Gestures, type Mode } from "./view/gestures";
import { Hovering, pick } from "./view/hover";
import { listenToKeys } from "./view/keys";
import { openMenu } from "./view/menu";
import { panelMenu, rowMenu } from "./view/menus";
import { stateOverlays } from "./view/overlays";
import { Selected } from "./view/selected";
import { Timeline } from "./view/timeline";
import { Toolbar } from "./view/toolbar";

const status = new Status(), banner = new Banner();
const page = document.getElementById("app")!;
page.append(banner.root, status.root);

void open().catch((err: unknown) => banner.warn(`This view cannot be opened: ${err instanceof Error ? err.message : String(err)}.`));

async function open(): Promise<void> {
  const api = new Api(await source());
  start(api, await firstSession(api, (text) => status.say(text)));
}

/** A server, or the archive that the page came with. */
async function source(): Promise<Source> {
  const archive = window.dagscopeArchive;
  return archive ? openArchive(archive, (share, what) => status.say(`Opening the archive: ${what}, ${Math.round(100 * share)} %`)) : httpSource("./api/v1/");
}

function start(api: Api, first: Session): void {
  const store = new Store(baseState(first)), commands = new Commands();
  const opened = readHash(location.hash);
  store.set(opened.state, { history: "none" });
  if ((opened.state.runs || opened.state.align) && !opened.state.window) store.set({ window: wholeWindow(first, store.state) }, { history: "none" });

  const listeners = new Set<(s: Session) => void>();
  const watch = new SessionWatch(api, first, {
    changed: (now, before) => {
      followWindow(store, before, now);
      for (const f of listeners) f(now);
      timeline.setLimits(wholeWindow(now, store.state));
      timeline.rebuild();
    },
    back: (_now, strangers) => (strangers.length > 0 ? banner.warn(strangers.join("; ") + ".") : status.say("The server is back")),
  });
  const app: App = {
    store, commands, api,
    get session() {
      return watch.session;
    },
    get view() {
      return timeline;
    },
    announce: (text) => status.say(text),
    onSession: (f) => {
      listeners.add(f);
      return () => listeners.delete(f);
    },
    runs: () => shownRuns(watch.session, store.state),
    run: (ref) => findRun(watch.session, ref),
    ref: (run) => refOf(watch.session, run),
    params: (run, panel) => sharedParams(watch.session, store.state, run, panel),
  };

  const timeline: Timeline = new Timeline(app, {
    menu: (panel, at) => openMenu(at, "Panel", panelMenu(app, panel, timeline.slots.filter((s) => s.panel === panel))),
    legend: (kind, hide) => commands.run(hide ? "kind.hide" : "kind.focus", kind),
    resize: (panel, height, done) => {
      const px = Number.isNaN(height) ? null : Math.round(Math.max(24, Math.min(8000, height)));
      timeline.resizePanel(panel, px);
      if (done) commands.run("panel.height", `${panel}:${px ?? ""}`);
    },
    move: (panel, before) => commands.run("panel.move", `${panel}:${before ?? ""}`),
  });
  timeline.setLimits(wholeWindow(first, store.state));

  const history = new History(store, () => baseState(watch.session), (text) => banner.warn(text));
  const select = async (slot: Parameters<typeof pick>[2], x: number, y: number, double: boolean) => {
    const hit = await pick(app, timeline, slot, y, timeline.timeAt(x), "pick");
    if (!hit) return hit === null && !double ? void store.set({ selected: null }, { history: "push" }) : undefined;
    if (hit.table === "task" && hit.key !== "") store.set({ selected: { run: app.ref(slot.run), key: hit.key }, ...(store.state.pane === "search" ? {} : { pane: "task" }) }, { history: "push" });
    else app.announce(hit.info || hit.label);
    if (double) fitTask(app, hit);
    else if (hit.step) frameStep(app, hit.step);
    return undefined;
  };
  const gestures = new Gestures(timeline, app, {
    click: (slot, x, y) => void (slot.info.rows && select(slot, x, y, false)),
    double: (slot, x, y) => void (slot.info.rows && select(slot, x, y, true)),
    rows: (slot, x, y) => {
      const row = slot.rowAt(y - slot.body.getBoundingClientRect().top);
      if (row) openMenu({ x, y }, `Row ${row.label}`, rowMenu(app, row, slot.run));
    },
    mode: (m) => setMode(m),
  });
  const setMode = (m: Mode) => {
    gestures.mode = m;
    document.body.dataset.mode = m;
    toolbar.setMode(m);
    if (m !== "pan") app.announce({ area: "Drag over rows to select an area", ruler: "Drag between two instants to measure", range: "Drag to zoom to a range" }[m]);
  };
  const hovering = new Hovering(timeline, app);
  const selected = new Selected(app, (text) => status.note(text));
  registerActions(app, { timeline, gestures, hovering, selected, history, setMode });
  install(app);
  welcome(app);
  const toolbar = new Toolbar(app), aside = document.createElement("aside");
  aside.setAttribute("aria-label", "Details");
  side(aside, app);

  page.replaceChildren(toolbar.root, banner.root, status.center(timeline.root, aside), status.root);
  stateOverlays(app);
  followTheme(store, () => timeline.recolor());
  listenToKeys(commands);
  timeline.rebuild();
  api.on("offline", () => banner.offline(() => watch.retryNow()));
  api.on("online", () => {
    banner.online();
    timeline.requests.resume();
    timeline.refresh();
  });
  for (const text of [opened.message, ...misfits(first, store.state)]) if (text) banner.warn(text);
  Object.assign(window, { __dagscope: { app, store, commands, ready: () => timeline.ready(), frames: timeline.frames, timeline } });
}
