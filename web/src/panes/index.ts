// The tabs of the side pane, in order, and what else panes bring with them.
import type { App, Pane } from "../core/app";

export const panes: Pane[] = [];

/** Registers dialogs and commands of the panes, once, when the application starts. */
export function install(_app: App): void {}
