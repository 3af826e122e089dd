import type { LogAudit } from './audit.ts';
import type { InstallationLog } from './installation-log.ts';
import type { StepWaits } from './long-poll.ts';
import type { LogProofs } from './proofs.ts';

/** The transparency log. */
export interface Log {
  readonly installation: InstallationLog;
  /** Log proofs that organizations can query. */
  readonly proofs: LogProofs;
  /** Exports the log for verification elsewhere. */
  readonly audit: LogAudit;
  /** Requests that wait for the next step of an organization. */
  readonly longPoll: StepWaits;
}
