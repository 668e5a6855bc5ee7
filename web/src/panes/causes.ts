import type { Reason } from "../api/types";
import { stackedBar } from "../widgets/bars";
import { duration } from "./words";

/** The colours of classes and marks, those of the panel chain, and of idle time that has neither. */
const causeColors: Record<string, string> = {
  execute: "#b7d3c6", placement: "#117733", order: "#e69f00", capacity: "#5f9e85", exclusion: "#999933",
  transfer: "#0072b2", "transfer-contention": "#56b4e9", "message-post": "#c994c7", "message-receive-late": "#dd1c77",
  "message-flight": "#54278f", "message-contention": "#9e9ac8", "message-receive": "#dadaeb", "memory-wait": "#d55e00",
  submission: "#882255", creation: "#aa4499", synchronisation: "#ddcc77", lock: "#661100", "off-cpu": "#332288", runtime: "#f0e442",
  "no-ready-task": "#dddddd", unexplained: "#777777",
};

export function causeColor(cause: string): string {
  return causeColors[cause] ?? "var(--soft)";
}

/** Times of classes and marks as a bar. */
export function reasonBar(label: string, reasons: Reason[]): HTMLElement {
  return stackedBar(label, reasons.map((r) => ({ label: r.cause, value: r.ns, text: duration(r.ns), color: causeColor(r.cause) })));
}
