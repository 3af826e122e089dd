import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

/** Alarms need a person: each is counted and logged. */
export interface Alarms {
  /** Stored state does not verify. */
  state(organizationId: string, what: string): void;
  clock(message: string): void;
  /** Organizations are read in full again and again. */
  loads(message: string): void;
  guessing(organizationId: string, alarm: GuessingAlarm): void;
  /** Organizations whose stored state did not verify within the last hour. */
  tamperedOrganizations(): number;
}

const TAMPERED_MS = 3_600_000;
/** Maximum number of organizations to count. */
const MAX_TAMPERED = 10_000;

/** Raised when too many wrong one-time codes led to a lockout. */
export interface GuessingAlarm {
  readonly of: 'contact' | 'requester' | 'submitter';
  /** The user who submitted the request. */
  readonly submitterId: string;
  readonly untilMs: number;
}

/** `installation` stands for an organization in alarms about the whole installation. */
export function createAlarms(metrics: Metrics, log: Pick<Logger, 'error'>, installation: string): Alarms {
  /** When the state of an organization last failed to verify, oldest first. */
  const tampered = new Map<string, number>();

  function tamperedOrganizations(): number {
    const untilMs = performance.now() - TAMPERED_MS;
    for (const [organizationId, atMs] of tampered) {
      if (atMs > untilMs && tampered.size <= MAX_TAMPERED) break;
      tampered.delete(organizationId);
    }
    return tampered.size;
  }

  metrics.watch({
    name: 'countersign_tampered_organizations',
    help: 'Organizations whose stored state did not verify within the last hour',
    // Several processes find the same ones.
    across: 'max',
    read: tamperedOrganizations,
  });
  return {
    tamperedOrganizations,
    state(organizationId, what) {
      metrics.stateAlarm();
      tampered.delete(organizationId);
      if (organizationId !== installation) tampered.set(organizationId, performance.now());
      tamperedOrganizations();
      log.error({ organizationId, what }, 'stored state does not verify');
    },
    clock(message) {
      metrics.clockAlarm();
      log.error(message);
    },
    loads(message) {
      metrics.loadAlarm();
      log.error(message);
    },
    guessing(organizationId, { of, submitterId, untilMs }) {
      metrics.guessing(of);
      const waitsUntil = new Date(untilMs).toISOString();
      log.error({ organizationId, of, submitterId, waitsUntil }, 'one-time codes are being guessed');
    },
  };
}
