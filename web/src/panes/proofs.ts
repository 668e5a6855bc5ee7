// Findings as simulations prove them, one by one, while they are shown.
import type { Proofs, Report, RunInfo } from "../api/types";
import { isAbort } from "../api/client";
import type { App } from "../core/app";

const channel = "proofs";

/** Follows the proofs of a run until all are there; show gets the report with what is known. Returns what ends that. */
export function follow(app: App, run: RunInfo, report: Report, show: (r: Report, state: string) => void): () => void {
  if (!app.session.features.proofs) return () => {};
  let over = false;
  void (async () => {
    for (let step = 0; !over; ) {
      const p = await app.api.json<Proofs>(`runs/${run.id}/proofs`, { after: step, v: run.stamp ?? run.checksum }, { channel });
      if (over) return;
      step = p.step;
      const proved = p.screen ? { ...report, findings: p.findings ?? [], screen: p.screen, rows: p.rows ?? [] } : report;
      show(proved, p.error ?? (p.finished ? "" : p.planned > 0 ? `trying repairs by simulation: ${p.done} of ${p.planned}` : "simulating the run…"));
      if (p.finished) return;
    }
  })().catch((error: unknown) => {
    if (!isAbort(error) && !over) show(report, error instanceof Error ? error.message : String(error));
  });
  return () => {
    over = true;
    app.api.cancel(channel);
  };
}
