import { describe, expect, it } from "vitest";
import { random } from "../paint/testing";
import { emptyState, type State } from "./store";
import { readHash, writeHash } from "./url";

const letters = [..."aZ0 _-~:,&=#%+/?é漢𝄞\"'()*!"];

const base: State = { ...emptyState(), window: { t0: -5, t1: 1e9 }, panels: [{ id: "st", height: null, options: {} }, { id: "ready", height: null, options: {} }] };

const back = (s: State): State => {
  const { state, message } = readHash("#" + writeHash(s, base));
  expect(message).toBe("");
  return { ...base, ...state };
};

function arbitrary(r: () => number): State {
  const some = <T>(f: () => T): T | null => (r() < 0.5 ? f() : null);
  const n = (max: number) => Math.floor(r() * max);
  const word = () => Array.from({ length: 1 + n(8) }, () => letters[n(letters.length)]!).join("");
  const options = () => Object.fromEntries(Array.from({ length: n(3) }, () => ["k" + word(), word()]));
  const list = <T>(f: () => T, most = 4): T[] => Array.from({ length: n(most) }, f);
  const span = () => {
    const t0 = n(1e12) - 5e11;
    return { t0, t1: t0 + 1 + n(1e12) };
  };
  return {
    runs: list(() => ({ name: word(), checksum: word() })),
    window: span(), origin: n(1e9) - 5e8,
    panels: list(() => ({ id: "p" + word(), height: some(() => 10 + n(1000)), options: options() }), 5),
    options: options(), align: (["none", "start", "end", "progress", "iteration"] as const)[n(5)]!,
    selected: some(() => ({ run: word(), key: word() })),
    area: some(() => ({ run: word(), ...span(), workers: some(() => list(word, 5)), ...(r() < 0.5 ? { kinds: list(word) } : {}), ...(r() < 0.5 ? { min: n(1e6), max: n(1e9) } : {}) })),
    pane: some(word), levels: n(20) - 1, ruler: some(span), notes: list(() => ({ t: n(1e9) - 100, text: word() })),
    theme: (["auto", "light", "dark"] as const)[n(3)]!, search: some(word) ?? "",
    marks: some(() => ({ label: "m" + word(), times: list(() => n(1e9)) })),
  };
}

describe("the permalink", () => {
  it("gives back every state", () => {
    const r = random(11);
    for (let i = 0; i < 800; i++) {
      const s = arbitrary(r);
      expect(back(s)).toEqual(s);
    }
  });

  it("leaves defaults out", () => expect(writeHash(base, base)).toBe("v=1"));

  it("can be read", () => {
    const s: State = { ...base, window: { t0: 0, t1: 2500000 }, panels: [{ id: "st", height: 400, options: { "st.outliers": "false" } }], selected: { run: "dmdas", key: "17" } };
    expect(writeHash(s, base)).toBe("v=1&w=0,2500000&p=st:400~st.outliers:false&sel=dmdas~17");
  });

  it("without hash is the whole run, silently", () => expect(readHash("")).toEqual({ state: {}, message: "" }));

  it("of another version says so", () => {
    expect(readHash("#v=2&w=0,1")).toMatchObject({ state: {}, message: expect.stringContaining("version") });
    expect(readHash("#w=0,1").message).toContain("v= is missing");
  });

  it("with garbage keeps what makes sense and says what does not", () => {
    const { state, message } = readHash("#v=1&w=5,3&theme=dark&p=st:x&levels=1.5&sel=a&foo=1&q=%E0%A4%A&area=r~1,2~z:1");
    expect(state).toEqual({ theme: "dark" });
    for (const key of ["w (", "p (", "levels (", "sel (", "foo", "q (badly encoded)", "area ("]) expect(message).toContain(key);
  });

  it("holds no times that cannot be told apart", () => {
    const { state, message } = readHash("#v=1&w=-9e99,9e99&origin=1e16&note=1e17:x");
    expect(state).toEqual({});
    expect(message).toContain("more than 104 days");
  });

  it("never throws, whatever is in the address", () => {
    const r = random(5), good = writeHash(arbitrary(r), base);
    for (let i = 0; i < 2000; i++) {
      const at = Math.floor(r() * good.length), junk = String.fromCharCode(33 + Math.floor(r() * 90));
      expect(() => readHash(good.slice(0, at) + junk + good.slice(at + Math.floor(r() * 4)))).not.toThrow();
    }
  });
});
