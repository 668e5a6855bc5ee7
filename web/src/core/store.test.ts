import { expect, it } from "vitest";
import { Store } from "./store";

it("tells those who read what changed, once, and only then", () => {
  const store = new Store(), heard: string[] = [];
  store.subscribe(["window", "origin"], () => heard.push("time"));
  const end = store.subscribe(["theme"], () => heard.push("theme"));
  store.set({ window: { t0: 0, t1: 5 }, origin: 3 });
  store.set({ window: { t0: 0, t1: 5 } });
  store.set({ theme: "dark" });
  end();
  store.set({ theme: "light" });
  expect(heard).toEqual(["time", "theme"]);
});

it("records how a change enters the history", () => {
  const store = new Store(), how: string[] = [];
  store.record = (h) => how.push(h);
  store.set({ origin: 1 }, { history: "none" });
  store.set({ origin: 2 });
  store.set({ origin: 3 }, { history: "push" });
  store.set({ origin: 3 }, { history: "push" }); // a move that was under way has settled
  store.set({ origin: 3 });
  expect(how).toEqual(["none", "replace", "push", "push"]);
});
