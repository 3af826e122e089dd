import { createHash, randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import type {
  ActivityRow,
  EventBodyRow,
  EventRow,
  HeadRow,
  LogEntryRow,
  LookupRow,
  OutboxRow,
  RecordRow,
  ResourceRow,
  Write,
} from '../../src/store/rows.ts';
import type { Commit, Head, Store } from '../../src/store/store.ts';

export const signType = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';

/** Random bytes, for MACs and ciphertexts. */
export function bytes(length = 32): Uint8Array {
  return new Uint8Array(randomBytes(length));
}

/** Random bytes in the form of those that the first data key of an organization sealed. */
export function sealed(length = 32): Uint8Array {
  return bytes(length).fill(1, 0, 1);
}

export function activityRow(organizationId: string, fields: Partial<ActivityRow> = {}): ActivityRow {
  const id = fields.id ?? uuidv7();
  return {
    organizationId,
    id,
    revision: 0,
    fingerprint: `sha256:${id}`,
    requestedAtMs: 1_700_000_000_000,
    type: signType,
    status: 'ACTIVITY_STATUS_COMPLETED',
    body: JSON.stringify({ id, text: 'body' }),
    mac: bytes(),
    ...fields,
  };
}

/** The head of a version. Its MAC follows from the version, so that tests can expect it. */
export function head(version: number): Head {
  return { version, mac: new Uint8Array(createHash('sha256').update(`head ${version}`).digest()) };
}

export function headRow(organizationId: string, fields: Partial<HeadRow> = {}): HeadRow {
  const { version = 1 } = fields;
  return { organizationId, parentId: '', ...head(version), ...fields };
}

export function recordRow(organizationId: string, fields: Partial<RecordRow> = {}): RecordRow {
  return { organizationId, kind: 'user', id: uuidv7(), writtenBy: 0, body: '{"name":"a"}', mac: bytes(), ...fields };
}

export function resourceRow(organizationId: string, fields: Partial<ResourceRow> = {}): ResourceRow {
  return {
    organizationId,
    kind: 'wallet',
    id: uuidv7(),
    parentId: '',
    writtenBy: 0,
    body: '{"name":"w"}',
    mac: bytes(),
    ...fields,
  };
}

export function lookupRow(organizationId: string, fields: Partial<LookupRow> = {}): LookupRow {
  return { organizationId, kind: 'email', value: 'a@example.com', id: uuidv7(), ...fields };
}

/** A message, due at time zero by default. */
export function outboxRow(organizationId: string, fields: Partial<OutboxRow> = {}): OutboxRow {
  return {
    organizationId,
    id: uuidv7(),
    state: 'waiting',
    dueAtMs: 0,
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    attempts: 0,
    fault: '',
    ciphertext: sealed(),
    ...fields,
  };
}

/** An event, by default for the organization's own endpoint. */
export function eventRow(organizationId: string, fields: Partial<EventRow> = {}): EventRow {
  return {
    organizationId,
    id: uuidv7(),
    listenerId: organizationId,
    endpointId: 'endpoint',
    createdAtMs: 1_000,
    body: '{"id":"a"}',
    mac: bytes(),
    ...fields,
  };
}

/** What the log is to say of an activity. */
export function logEntryOf({ organizationId, id, revision }: ActivityRow): LogEntryRow {
  return { organizationId, activityId: id, revision, format: 1, body: `{"of":"${id}/${revision}"}`, mac: bytes() };
}

/** A commit of an activity. */
export type ActivityCommit = Commit & { readonly activity: ActivityRow };

/** A commit, which only signs by default. */
export function commitOf(organizationId: string, fields: Partial<ActivityCommit> = {}): ActivityCommit {
  return { organizationId, expected: head(1), activity: activityRow(organizationId), writes: [], ...fields };
}

export const put = {
  record: (row: RecordRow): Write => ({ op: 'put', table: 'records', row }),
  resource: (row: ResourceRow): Write => ({ op: 'put', table: 'resources', row }),
  lookup: (row: LookupRow): Write => ({ op: 'put', table: 'lookups', row }),
  outbox: (row: OutboxRow): Write => ({ op: 'put', table: 'outbox', row }),
  event: (row: EventRow): Write => ({ op: 'put', table: 'events', row }),
  eventBody: (row: EventBodyRow): Write => ({ op: 'put', table: 'event_bodies', row }),
  head: (row: HeadRow): Write => ({ op: 'insert', table: 'organizations', row }),
};

/** Stores a new organization of version 1 and returns its id. */
export async function createOrganization(
  store: Store,
  writes: readonly Write[] = [],
  id = uuidv7(),
  parentId = '',
): Promise<string> {
  const commit = commitOf(id, { expected: head(0), writes: [put.head(headRow(id, { parentId })), ...writes] });
  const [outcome] = await store.commit([commit]);
  if (outcome?.taken !== true) throw new Error(`organization not stored: ${JSON.stringify(outcome)}`);
  return id;
}
