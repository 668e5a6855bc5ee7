import { h } from "./dom";

export interface Tab { id: string; title: string }

/** A row of tabs: arrows move along it and open. */
export function tabList(label: string, tabs: Tab[], open: (id: string) => void): { root: HTMLElement; show(id: string | null): void } {
  const root = h("div", { class: "tabs", role: "tablist", "aria-label": label });
  const all = tabs.map((t) =>
    h("button", {
      type: "button", role: "tab", id: `tab-${t.id}`, "aria-controls": `pane-${t.id}`, class: "tab",
      onclick: () => open(t.id),
    }, t.title));
  root.append(...all);
  root.addEventListener("keydown", (e) => {
    const now = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = neighbour(e.key, now, all.length);
    if (to === null) return;
    e.preventDefault();
    e.stopPropagation();
    open(tabs[to]!.id);
    all[to]!.focus();
  });
  const show = (id: string | null): void => {
    tabs.forEach((t, i) => {
      const on = t.id === id;
      all[i]!.setAttribute("aria-selected", String(on));
      all[i]!.tabIndex = on || (id === null && i === 0) ? 0 : -1;
      if (on) all[i]!.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    });
  };
  show(null);
  return { root, show };
}

function neighbour(key: string, now: number, n: number): number | null {
  switch (key) {
    case "ArrowRight": return (now + 1) % n;
    case "ArrowLeft": return (now - 1 + n) % n;
    case "Home": return 0;
    case "End": return n - 1;
  }
  return null;
}
