import { h, uid, type Child } from "./dom";

export interface DialogHandle {
  root: HTMLDialogElement;
  body: HTMLElement;
  close(): void;
}

/** Opens a modal dialog: the page behind is inert (the focus stays inside),
 *  Escape and a click beside it close it, the focus then goes back. */
export function openDialog(title: string, content: Child[], o: { class?: string; closed?: () => void } = {}): DialogHandle {
  const id = uid("dialog");
  const body = h("div", { class: "dialog-body" }, content);
  const root = h(
    "dialog",
    { class: "dialog " + (o.class ?? ""), "aria-labelledby": id },
    h("div", { class: "dialog-head" },
      h("h2", { id }, title),
      h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => root.close() }, "×")),
    body,
  );
  const back = document.activeElement as HTMLElement | null;
  root.addEventListener("close", () => {
    root.remove();
    o.closed?.();
    // The browser gives the focus back itself, unless what had it was drawn anew.
    if (document.activeElement === document.body && back?.isConnected) back.focus();
  });
  root.addEventListener("mousedown", (e) => e.target === root && outside(e, root) && root.close());
  // Keys of the timeline do not work while a dialog is open.
  root.addEventListener("keydown", (e) => {
    if (e.key === "Escape") {
      e.preventDefault();
      root.close();
    }
    e.stopPropagation();
  });
  document.body.append(root);
  root.showModal();
  return { root, body, close: () => root.close() };
}

function outside(e: MouseEvent, el: Element): boolean {
  const r = el.getBoundingClientRect();
  return e.clientX < r.left || e.clientX > r.right || e.clientY < r.top || e.clientY > r.bottom;
}
