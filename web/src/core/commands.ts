// Every action of the live view is a command with an id: keys, the palette,
// buttons and tests run the same thing.

export interface Command {
  id: string; // "view.fit"
  title: string; // as the palette shows it
  keys?: string[]; // KeyboardEvent.key with modifiers before: "0", "Shift+Z", "Alt+ArrowLeft", "Control+k"
  group?: string; // heading in the help
  hidden?: boolean; // not in the palette: it needs an argument
  run(arg?: string): void;
  when?(): boolean; // whether it can be run now
}

export class Commands {
  #byId = new Map<string, Command>();
  #byKey = new Map<string, string>();

  /** Adds a command; a later one with the same id or key takes its place. */
  register(command: Command): void {
    this.#byId.set(command.id, command);
    for (const key of command.keys ?? []) this.#byKey.set(normalKey(key), command.id);
  }

  /** Runs a command; false if there is none or it cannot be run now. */
  run(id: string, arg?: string): boolean {
    const command = this.#byId.get(id);
    if (!command || command.when?.() === false) return false;
    command.run(arg);
    return true;
  }

  get(id: string): Command | undefined {
    return this.#byId.get(id);
  }

  /** All commands in order of registration. */
  list(): Command[] {
    return [...this.#byId.values()];
  }

  /** The command of a key, if any. */
  ofKey(key: string): Command | undefined {
    const id = this.#byKey.get(normalKey(key));
    return id === undefined ? undefined : this.#byId.get(id);
  }
}

/** How a key press is written: modifiers in fixed order, letters as lower case. */
export function keyOf(e: { key: string; ctrlKey: boolean; altKey: boolean; metaKey: boolean; shiftKey: boolean }): string {
  const parts: string[] = [];
  if (e.ctrlKey || e.metaKey) parts.push("Control");
  if (e.altKey) parts.push("Alt");
  if (e.shiftKey && (e.key.length > 1 || /[a-z]/i.test(e.key))) parts.push("Shift");
  parts.push(e.key);
  return normalKey(parts.join("+"));
}

function normalKey(key: string): string {
  const parts = key === "+" ? ["+"] : key.endsWith("++") ? [...key.slice(0, -2).split("+"), "+"] : key.split("+");
  const last = parts.pop() ?? "";
  const order = ["Control", "Alt", "Shift"];
  parts.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return [...parts, last.length === 1 ? last.toLowerCase() : last].join("+");
}
