import type { App, Pane } from "../core/app";
import { withParams, type Params } from "../api/client";
import type { ExportCommand, Failure } from "../api/types";
import { Cleanup, button, fill, h, select, type Child } from "../widgets/dom";
import { copy, failure, hint, load, permalink, section, throttle } from "./common";
import { exportParams, sizes, type ExportChoice } from "./figure";

/** The view as a figure, and the command that makes it again. */
export const pane: Pane = {
  id: "export",
  title: "Export",
  mount(root, app) {
    const view = new ExportView(root, app);
    return () => view.destroy();
  },
};

const chosen: ExportChoice = { format: "svg", width: 1200, theme: "light", without: [] };

class ExportView {
  private end = new Cleanup();
  private form = h("div", { class: "form" });
  private command = h("div");
  private links = h("div", { class: "row" });
  private preview = h("div", { class: "preview" });
  private reload = throttle(300, () => this.load());

  constructor(root: HTMLElement, private app: App) {
    if (!app.session.features.export) fill(root, hint("This view makes no figures: dagscope plot does, where dagscope is installed."), this.share());
    else fill(root, this.form, this.links, section("The command that makes it", this.command), section("Preview", this.preview), this.share());
    this.end.add(app.store.subscribe(["window", "panels", "options", "runs", "align", "marks", "notes"], () => this.reload()), () => this.reload.cancel());
    if (app.session.features.export) this.load();
  }

  destroy(): void {
    this.end.run();
  }

  private share(): HTMLElement {
    return section("Link to this view", hint("It holds the window, panels, options, the selected task and area, notes and marks. It opens where these runs are served at the same address."),
      h("div", { class: "row" }, button("Copy link", () => void copy(this.app, permalink(), "the link to this view"))));
  }

  private drawForm(): void {
    const names = new Map(this.app.session.panels.map((p) => [p.id, p.title]));
    const change = (patch: Partial<ExportChoice>): void => {
      Object.assign(chosen, patch);
      this.load();
    };
    const width = select("Width", sizes.map((s) => ({ value: String(s.width), text: s.text })), String(chosen.width), (v) => change({ width: Number(v) }));
    fill(this.form,
      field("Format", select("Format", [{ value: "svg", text: "SVG" }, { value: "pdf", text: "PDF" }, { value: "png", text: "PNG" }], chosen.format, (v) => change({ format: v as ExportChoice["format"] }))),
      field("Width", width),
      field("Colours", select("Colours", [{ value: "light", text: "light, for paper" }, { value: "dark", text: "dark" }], chosen.theme, (v) => change({ theme: v as "light" | "dark" }))),
      h("fieldset", { class: "checks" }, h("legend", null, "Panels"), this.app.store.state.panels.map((p) => {
        const box = h("input", { type: "checkbox", checked: !chosen.without.includes(p.id) });
        box.addEventListener("change", () => change({ without: box.checked ? chosen.without.filter((x) => x !== p.id) : [...chosen.without, p.id] }));
        return h("label", { class: "check" }, box, names.get(p.id) ?? p.id);
      })));
  }

  private load(): void {
    if (!this.app.session.features.export) return;
    this.drawForm();
    const params = exportParams(this.app, chosen);
    if (!params) return fill(this.links, hint("No panel is chosen."));
    this.drawLinks(params);
    void load(
      () => this.app.api.json<ExportCommand>("export/command", params, { channel: "export-command" }),
      (c) => this.drawCommand(c.command),
      (error) => fill(this.command, failure(error)),
    );
  }

  private drawLinks(params: Params): void {
    const app = this.app;
    const href = app.api.url("export", params);
    const name = `${app.runs()[0]?.name ?? "run"}.${chosen.format}`;
    fill(this.links,
      h("a", { class: "btn primary", href, download: name }, `Download ${chosen.format.toUpperCase()}`),
      h("a", { class: "btn", href, target: "_blank", rel: "noopener" }, "Open"),
      button("Preview", () => this.show(params)));
  }

  // On demand: a figure of millions of tasks takes its time.
  private show(params: Params): void {
    fill(this.preview, h("p", { class: "muted" }, "drawing…"));
    const path = withParams("export", { ...params, format: "png" });
    void load(() => picture(this.app, path), (src) => {
      const img = h("img", { alt: "Preview of the figure", src });
      img.addEventListener("load", () => URL.revokeObjectURL(src));
      fill(this.preview, img);
    }, (error) => fill(this.preview, failure(error)));
  }

  private drawCommand(command: string): void {
    fill(this.command, h("pre", { class: "code", tabindex: "0" }, command), h("div", { class: "row" }, button("Copy command", () => void copy(this.app, command, "the command"))));
  }
}

// Through the source, so that it works where no server answers, and errors have their sentence.
async function picture(app: App, path: string): Promise<string> {
  const response = await app.api.source.request(path);
  if (!response.ok) throw new Error(((await response.json()) as Failure).error);
  return URL.createObjectURL(await response.blob());
}

function field(label: string, control: Child): HTMLElement {
  return h("label", { class: "field" }, h("span", null, label), control);
}
