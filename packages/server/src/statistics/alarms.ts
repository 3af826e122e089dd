import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

/** Alarms need a person: each is counted and logged. */
export interface Alarms {
  /** Stored state does not verify. */
  state(organizationId: string, what: string): void;
  clock(message: string): void;
  guessing(organizationId: string, alarm: GuessingAlarm): void;
}

/** Raised when too many wrong one-time codes led to a lockout. */
export interface GuessingAlarm {
  readonly of: 'contact' | 'requester' | 'submitter';
  /** The user who submitted the request. */
  readonly submitterId: string;
  readonly untilMs: number;
}

export function createAlarms(metrics: Metrics, log: Pick<Logger, 'error'>): Alarms {
  return {
    state(organizationId, what) {
      metrics.stateAlarm();
      log.error({ organizationId, what }, 'stored state does not verify');
    },
    clock(message) {
      metrics.clockAlarm();
      log.error(message);
    },
    guessing(organizationId, { of, submitterId, untilMs }) {
      metrics.guessing(of);
      const waitsUntil = new Date(untilMs).toISOString();
      log.error({ organizationId, of, submitterId, waitsUntil }, 'one-time codes are being guessed');
    },
  };
}
