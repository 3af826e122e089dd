import { isSession } from '@countersign/judgement';
import { LRUCache } from 'lru-cache';
import { lazyLru } from '../admission/lru.ts';
import { type IpAddress, showIpAddress } from '../network/ip-address.ts';
import type { ApiKeyRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { SessionUseRow, Write } from '../store/rows.ts';
import { MOST_SESSION_USES } from '../store/session-uses.ts';
import type { Store } from '../store/store.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { deviceLabel } from '../wire/device-label.ts';

/** The client of a request, as the request describes it. */
export interface RequestClient {
  readonly clientAddress: () => IpAddress | undefined;
  readonly userAgent?: string | undefined;
}

/** What a request said about its client. SECURITY: D1020: nothing is decided by it. */
export interface ClientFacts {
  readonly device?: string;
  readonly address?: string;
}

/** How a session was opened and when it was last used. */
export interface SessionUses {
  readonly openedFrom?: ClientFacts;
  readonly lastUsed?: ClientFacts & { readonly atMs: number };
}

/** Records how sessions are used: in memory, and written to the database in the background. */
export interface SessionRecorder {
  /** A request of this credential was authenticated. Does nothing unless the credential is a session. */
  used(home: Snapshot, credentialId: string, client: RequestClient): void;
  /** A request changed the organization. Without a client, nothing is recorded of the sessions that it opened. */
  changed(before: Snapshot, after: Snapshot, writes: readonly Write[], client: RequestClient | undefined): void;
  /** The uses of a user's sessions, or of one of them, by the id of the session. */
  of(organizationId: string, userId: string, sessionId?: string): Promise<ReadonlyMap<string, SessionUses>>;
  /** Writes some of what is pending. Returns whether more is. */
  write(): Promise<boolean>;
  /** Deletes what is stored about expired sessions. */
  sweep(): Promise<void>;
}

/** SECURITY: D1022: shortest time between two stored uses of a session, so that reading does not write. */
export const USE_EVERY_MS = 10 * 60_000;
/** Sessions whose last stored use is known, and rows that wait to be written. Beyond that, uses are stored late or not at all. */
const MOST_SESSIONS = 20_000;
const MOST_PENDING = 5_000;
/** How long the uses of a session without an expiration are kept after the last one. */
const WITHOUT_END_MS = 90 * 24 * 3_600_000;

type Row = Omit<SessionUseRow, 'mac'>;

export interface SessionRecorderServices {
  readonly store: Pick<Store, 'sessionUses'>;
  readonly integrity: Pick<Integrity, 'sessionUse'>;
  readonly clock: { nowMs(): number };
  /** Stored state does not verify. */
  alarm(organizationId: string, what: string): void;
}

export function createSessionRecorder({ store, integrity, clock, alarm }: SessionRecorderServices): SessionRecorder {
  const stored = new LRUCache<string, number>(lazyLru(MOST_SESSIONS));
  const pending = new Map<string, Row>();
  const ended = new Map<string, Pick<Row, 'organizationId' | 'userId' | 'id'>>();

  function add(organizationId: string, id: string, kind: 'opened' | 'used', key: ApiKeyRecord, client: RequestClient): void {
    if (pending.size >= MOST_PENDING) return;
    const atMs = clock.nowMs();
    const body = JSON.stringify(factsOf(client));
    pending.set(`${id}/${kind}`, { organizationId, userId: key.userId, id, kind, atMs, expiresAtMs: endOf(key, atMs), body });
  }

  function opened(organizationId: string, id: string, key: ApiKeyRecord, client: RequestClient | undefined): void {
    if (client !== undefined && isSession(key)) add(organizationId, id, 'opened', key, client);
  }

  function forget(organizationId: string, id: string, key: ApiKeyRecord): void {
    if (!isSession(key)) return;
    for (const kind of ['opened', 'used']) pending.delete(`${id}/${kind}`);
    if (ended.size < MOST_PENDING) ended.set(id, { organizationId, userId: key.userId, id });
  }

  const isGenuine = ({ mac, ...row }: SessionUseRow) => {
    const is = macsEqual(integrity.sessionUse(row), mac);
    if (!is) alarm(row.organizationId, `the use of the session ${row.id} was changed or inserted outside the service`);
    return is;
  };

  return {
    used(home, credentialId, client) {
      const key = home.apiKeys.get(credentialId);
      if (key === undefined || !isSession(key)) return;
      const nowMs = clock.nowMs();
      if (nowMs - (stored.get(credentialId) ?? Number.NEGATIVE_INFINITY) < USE_EVERY_MS) return;
      stored.set(credentialId, nowMs);
      add(home.id, credentialId, 'used', key, client);
    },

    changed(before, after, writes, client) {
      for (const write of writes) {
        if (write.table !== 'records') continue;
        const { kind, id } = write.row;
        if (kind !== 'apiKey') continue;
        const [earlier, key] = [before.apiKeys.get(id), after.apiKeys.get(id)];
        if (earlier === undefined && key !== undefined) opened(after.id, id, key, client);
        if (earlier !== undefined && key === undefined) forget(after.id, id, earlier);
      }
    },

    async of(organizationId, userId, sessionId) {
      const genuine = (await store.sessionUses.of(organizationId, userId, sessionId)).filter(isGenuine);
      const isMeant = (row: Row) =>
        row.organizationId === organizationId && row.userId === userId && (sessionId ?? row.id) === row.id;
      const found = new Map<string, SessionUses>();
      for (const { id, kind, atMs, body } of [...genuine, ...[...pending.values()].filter(isMeant)]) {
        const facts = JSON.parse(body) as ClientFacts;
        found.set(id, { ...found.get(id), ...(kind === 'opened' ? { openedFrom: facts } : { lastUsed: { atMs, ...facts } }) });
      }
      return found;
    },

    async write() {
      for (const [id, { organizationId, userId }] of [...ended].slice(0, MOST_SESSION_USES)) {
        await store.sessionUses.remove(organizationId, userId, id);
        ended.delete(id);
      }
      const taken = [...pending].slice(0, MOST_SESSION_USES);
      // In key order, so that two nodes that write the same sessions cannot deadlock.
      const rows = taken.map(([, row]) => ({ ...row, mac: integrity.sessionUse(row) })).sort((a, b) => (a.id < b.id ? -1 : 1));
      await store.sessionUses.add(rows, USE_EVERY_MS);
      for (const [name, row] of taken) if (pending.get(name) === row) pending.delete(name);
      return pending.size > 0 || ended.size > 0;
    },

    sweep: () => store.sessionUses.sweep(clock.nowMs()),
  };
}

function factsOf({ clientAddress, userAgent }: RequestClient): ClientFacts {
  const device = deviceLabel(userAgent);
  const address = clientAddress();
  return { ...(device !== undefined && { device }), ...(address !== undefined && { address: showIpAddress(address) }) };
}

function endOf(key: ApiKeyRecord, nowMs: number): number {
  const { createdAtMs, expirationSeconds } = key;
  return expirationSeconds === undefined ? nowMs + WITHOUT_END_MS : createdAtMs + Number(expirationSeconds) * 1000;
}
