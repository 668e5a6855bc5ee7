import { expect, it } from "vitest";
import { Commands, keyOf } from "./commands";

const press = (key: string, mods = "") => keyOf({ key, ctrlKey: mods.includes("c"), altKey: mods.includes("a"), metaKey: mods.includes("m"), shiftKey: mods.includes("s") });

it("keys are written in one way", () => {
  expect([press("z"), press("Z", "s"), press("?", "s"), press("+", "s"), press("ArrowLeft", "a"), press("K", "cs"), press("k", "m")])
    .toEqual(["z", "Shift+z", "?", "+", "Alt+ArrowLeft", "Control+Shift+k", "Control+k"]);
});

it("a key runs its command while that can be run", () => {
  const c = new Commands(), ran: string[] = [];
  let can = true;
  c.register({ id: "a.b", title: "", keys: ["Shift+Z", "+"], run: (arg) => ran.push(arg ?? "-"), when: () => can });
  expect(c.ofKey(press("Z", "s"))?.id).toBe("a.b");
  expect(c.ofKey(press("+"))?.id).toBe("a.b");
  expect(c.run("a.b", "x")).toBe(true);
  can = false;
  expect(c.run("a.b")).toBe(false);
  expect(c.run("none")).toBe(false);
  expect(ran).toEqual(["x"]);
});
