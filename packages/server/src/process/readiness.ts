import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@countersign/contract';
import type { Config } from '../config/settings.ts';
import { clockBehind } from '../installation/clock/clock-error.ts';
import { MAX_BEHIND_MS } from '../installation/clock/service-clock.ts';
import { INSTALLATION } from '../log/entry.ts';
import type { Service } from '../open-service.ts';
import { firstOrganizationId } from '../organizations/first-organization.ts';
import { dayOf } from '../store/counters.ts';
import { StoreUnavailable } from '../store/store-errors.ts';

/** Why the service accepts no requests; undefined if it does. */
export type Readiness = () => Promise<string | undefined>;

/** How often to verify the first organization. */
const FIRST_EVERY_MS = 5_000;
/** How long a successful write is valid. Limits the writes that readiness requests cause. */
const GOOD_FOR_MS = 2_000;
/** The longest time to respond. A load balancer waits no longer. */
const DEADLINE_MS = 2_500;

/**
 * Whether requests would be served: the log is sound, the time is near this machine's, the root key can be used or was lost a short time
 * ago, the epoch is this server's, the operator's own organization verifies, and the database takes writes and makes them durable.
 * A full disk, read-only storage and a lost synchronous standby show in nothing but a write.
 */
export function createReadiness(service: Service): Readiness {
  const { services, backgroundClock, installationLog, fence, log } = service;
  const { store } = services;
  const whyFirstFails = createFirstOrganizationCheck(services);
  let goodUntilMs = 0;
  let looking: Promise<string | undefined> | undefined;

  async function look(): Promise<string | undefined> {
    let asked = 'respond';
    try {
      await store.ping();
      const fenced = await fence.reason();
      if (fenced !== undefined) return fenced;
      asked = 'take writes';
      if (performance.now() >= goodUntilMs) await write();
      return undefined;
    } catch (error) {
      // "Not ready" is a valid answer, not a failure. The cause goes to the log.
      log.warn({ err: error }, `not ready: the database does not ${asked}`);
      const why = error instanceof StoreUnavailable && asked === 'take writes' ? `: ${error.message}` : '';
      return `the database does not ${asked}${why}`;
    }
  }

  async function write(): Promise<void> {
    await store.counters.add({ organizationId: INSTALLATION, name: 'readiness', day: dayOf(backgroundClock.nowMs()) }, 1);
    goodUntilMs = performance.now() + GOOD_FOR_MS;
  }

  /** SECURITY: unauthenticated clients can call this, so one check runs at a time, even if it hangs. */
  function lookOnce(): Promise<string | undefined> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  return async () => {
    const error = installationLog.error();
    if (error !== undefined) return error.message;
    const aheadMs = service.clockAheadMs();
    if (aheadMs > MAX_BEHIND_MS) return tooFarAhead(aheadMs);
    // SECURITY: the reason names files and addresses, so it is in the log only.
    const { status, isSealed } = services.vault.rootKey();
    if (status === 'stopped') return isSealed ? 'sealed: an operator sealed the root key' : 'the root key is not available';
    const damage = whyFirstFails();
    if (damage !== undefined) return damage;
    const timer = new AbortController();
    const late = sleep(DEADLINE_MS, 'the database does not respond', { signal: timer.signal, ref: false }).catch(() => undefined);
    const answer = await Promise.race([lookOnce(), late]);
    timer.abort();
    return answer;
  };
}

function tooFarAhead(aheadMs: number): string {
  const { message, fix } = clockBehind(aheadMs);
  return `${message} Requests with the present time are rejected as too old. ${fix}`;
}

/**
 * Verifies the first organization in the background, so that a large one does not delay the response. Damage of any other organization
 * does not make the service unready: it still serves the rest.
 */
function createFirstOrganizationCheck({ store, organizations }: Service['services']): () => string | undefined {
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let damage: string | undefined;

  async function check(): Promise<void> {
    try {
      const id = await firstOrganizationId(store);
      if (id !== undefined) await organizations.snapshots.current(id);
      damage = undefined;
    } catch (error) {
      // Other errors, such as an unavailable database, are reported by the write.
      if (error instanceof ServiceError && error.code === 'STATE_TAMPERED') damage = error.message;
    }
  }

  return () => {
    if (performance.now() - checkedAtMs >= FIRST_EVERY_MS) {
      checkedAtMs = performance.now();
      void check();
    }
    return damage;
  };
}

/** The response of `/readyz`. */
export function readinessPage(
  reason: string | undefined,
  tamperedOrganizations: number,
  isRootKeyLost: boolean,
  { unreadyWhenDegraded }: Pick<Config, 'unreadyWhenDegraded'>,
): { readonly status: 200 | 503; readonly body: string } {
  if (reason !== undefined) return { status: 503, body: `${reason}\n` };
  const count = tamperedOrganizations === 1 ? '1 organization does' : `${tamperedOrganizations} organizations do`;
  const degraded = [
    ...(tamperedOrganizations === 0 ? [] : [`degraded: the stored state of ${count} not verify; run 'countersign doctor'\n`]),
    ...(isRootKeyLost
      ? ['degraded: the root key is not available, and the data keys in memory are used for a limited time\n']
      : []),
  ].join('');
  if (degraded === '') return { status: 200, body: 'ready\n' };
  return unreadyWhenDegraded ? { status: 503, body: degraded } : { status: 200, body: `ready\n${degraded}` };
}
