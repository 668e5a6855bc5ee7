// What the keys and gestures are, and what to look at first.
import type { App } from "../core/app";
import type { Command } from "../core/commands";
import { openDialog } from "../widgets/dialog";
import { button, h, type Child } from "../widgets/dom";
import { keyText } from "./palette";

const gestures: [string, string][] = [
  ["wheel over a panel", "zoom at the pointer; with Shift move along time, with Alt scroll"],
  ["drag", "move along time"],
  ["drag on the time axis", "zoom to that range; with Shift also on the panels"],
  ["Alt + drag over rows", "select an area: time × workers"],
  ["R, then drag", "ruler: measure between two instants"],
  ["click a task", "select it: why it started when it did"],
  ["double-click a task", "zoom to it"],
  ["click the name of a row", "pin, hide or collapse it"],
  ["click in the legend", "let a kind stand out; with Shift hide it"],
  ["drag the edge of a panel", "make it higher or lower; drag its handle to move it"],
  ["links in the tabs", "a click on a task selects it, on a time goes there; with Ctrl they zoom"],
];

const tour: [string, string][] = [
  ["Look at the rows", "Each row is a worker (a CPU core or a GPU), time goes to the right. A coloured box is a task; its colour is its kind. Pale grey is time without task: that is where to gain. Zoomed out, the height of a colour is its exact share of the time."],
  ["Find the bounds", "Lines such as ABE and CPE say how short the run could have been: the area bound if all work were spread perfectly, the critical path if there were workers without end. Far from both? Then it is waiting, not work."],
  ["Ask why a task is late", "Click a task after a gap. The Task tab says what it waited for: another task, a transfer or message on its link, room in a memory, its submission, the runtime. With [ and ] you walk along that chain."],
  ["Measure a stretch", "Select an area over a gap. The Area tab divides the time among kinds and causes of idleness, and says in which time its work could have been done."],
  ["Look for what is odd", "Search “outlier”, or drag over the right end of the histogram of durations: the tasks are outlined on the timeline."],
  ["Show it to others", "Copy the link: it holds all that you see. The Export tab makes the same picture as SVG, PDF or PNG, and says which command does."],
];

/** Opens the help. */
export function openHelp(app: App): void {
  const dialog = openDialog("How to look at a run", [
    h("section", { class: "sec" }, h("h3", null, "What to look at first"),
      h("ol", { class: "tour" }, tour.map(([title, text]) => h("li", null, h("b", null, title + ". "), text))),
      h("p", { class: "hint" }, "On the command line, ", h("code", null, "dagscope report RUN"), " lists findings: where the makespan went and how much each could bring.")),
    h("section", { class: "sec" }, h("h3", null, "Mouse"), h("dl", { class: "keys-list" }, gestures.map(([g, what]) => [h("dt", null, g), h("dd", null, what)]))),
    h("section", { class: "sec" }, h("h3", null, "Keys"), keys(app)),
    h("div", { class: "row end" }, button("All commands…", () => {
      dialog.close();
      app.commands.run("palette.open");
    })),
  ], { class: "wide help" });
}

function keys(app: App): Child {
  const groups = new Map<string, Command[]>();
  for (const c of app.commands.list()) {
    if (!c.keys?.length) continue;
    const group = c.group ?? groupOf(c.id);
    groups.set(group, [...(groups.get(group) ?? []), c]);
  }
  return h("div", { class: "key-groups" }, [...groups].map(([name, commands]) => h("div", null, h("h4", null, name),
    h("dl", { class: "keys-list" }, commands.map((c) => [
      h("dt", null, c.keys!.map((k) => h("kbd", null, keyText(k)))), h("dd", null, c.title)])))));
}

function groupOf(id: string): string {
  const head = id.split(".")[0]!;
  return head.charAt(0).toUpperCase() + head.slice(1);
}
