import type { Answer } from '../../../support/caller.ts';
import { type Attempt, History } from '../../fault/support/history.ts';

/** When a request was sent and answered. Status 0: no answer. */
export interface Sighting {
  readonly sentMs: number;
  readonly endMs: number;
  readonly status: number;
}

/** A history that also knows when each body was first sent and first acknowledged. */
export class TimedHistory extends History {
  readonly sightings: Sighting[] = [];
  readonly sentMs = new Map<Attempt, number>();
  readonly acknowledgedMs = new Map<Attempt, number>();

  override async send(attempt: Attempt, url: string): Promise<Answer | undefined> {
    const sentMs = performance.now();
    const answer = await super.send(attempt, url);
    this.see(attempt, { sentMs, endMs: performance.now(), status: answer?.status ?? 0 });
    return answer;
  }

  /** Takes note of when a request was sent and answered, also by somebody else. */
  see(attempt: Attempt, sighting: Sighting): void {
    const { sentMs, endMs, status } = sighting;
    this.sightings.push(sighting);
    this.sentMs.set(attempt, Math.min(sentMs, this.sentMs.get(attempt) ?? sentMs));
    if (isServed(status)) this.acknowledgedMs.set(attempt, Math.min(endMs, this.acknowledgedMs.get(attempt) ?? endMs));
  }

  /** Drops bodies that were never sent. */
  forget(unsent: readonly Attempt[]): void {
    const gone = new Set(unsent);
    const kept = this.attempts.filter((attempt) => !gone.has(attempt));
    this.attempts.splice(0, this.attempts.length, ...kept);
  }
}

/** Carried out, or refused by policy and stored: both are acknowledged. */
export function isServed(status: number): boolean {
  return status === 200 || status === 403;
}
