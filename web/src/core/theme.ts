// Light or dark: as the state says, or as the system does.
import type { Store } from "./store";

export type Shade = "light" | "dark";

const dark = window.matchMedia("(prefers-color-scheme: dark)");

export function shadeOf(theme: "auto" | Shade): Shade {
  return theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
}

/** Keeps the page's attribute data-theme; f hears of changes. */
export function followTheme(store: Store, f: (shade: Shade) => void): void {
  let shade: Shade | null = null;
  const apply = () => {
    const now = shadeOf(store.state.theme);
    if (now === shade) return;
    shade = now;
    document.documentElement.dataset.theme = now;
    f(now);
  };
  dark.addEventListener("change", apply);
  store.subscribe(["theme"], apply);
  apply();
}

/** A colour of the theme, by the name of its CSS variable. */
export function cssColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif';

export const calm = (): boolean => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
