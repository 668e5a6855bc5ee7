// What goes wrong is said above the timeline; what happens, in the status line.
import { h } from "../widgets/dom";
import { iconButton } from "../widgets/icons";

const HINT = "Wheel zooms, drag moves, Alt+drag selects an area; click a task to see what it waited for; ? lists keys and gestures";

export class Banner {
  readonly root = h("div", { class: "banners", role: "alert" });
  #away: HTMLElement | null = null;

  offline(retry: () => void): void {
    this.online();
    this.#away = h("div", { class: "banner" }, "The server does not answer. The last picture stays; the page goes on when it is back.", h("button", { type: "button", class: "text-button", onclick: retry }, "Try now"));
    this.root.append(this.#away);
  }

  online(): void {
    this.#away?.remove();
    this.#away = null;
  }

  warn(text: string): void {
    const b: HTMLElement = h("div", { class: "banner" }, text, iconButton("close", "Dismiss", () => b.remove()));
    this.root.append(b);
    while (this.root.childElementCount > 4) this.root.firstElementChild?.remove();
  }
}

export class Status {
  readonly #text = h("span", { "aria-live": "polite", role: "status" });
  readonly #note = h("span", { class: "status-note" });
  readonly #hint = h("span", { class: "status-hint" }, HINT);
  readonly root = h("footer", { class: "status" }, this.#text, this.#hint, this.#note);
  #timer = 0;

  say(text: string): void {
    this.#text.textContent = text;
    this.#hint.hidden = text !== "";
    clearTimeout(this.#timer);
    if (text !== "") this.#timer = window.setTimeout(() => this.say(""), 12000);
  }

  /** Stands at the right until it is replaced. */
  note(text: string): void {
    if (this.#note.textContent !== text) this.#note.textContent = text;
  }

  center(...children: HTMLElement[]): HTMLElement {
    return h("div", { class: "center" }, ...children);
  }
}
