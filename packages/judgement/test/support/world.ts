import type { PersistentMap } from '@countersign/collections';
import { type ActivityDefinition, activities } from '@countersign/contract';
import type { Judgement } from '@countersign/judgement';
import type { VoteRecord } from '../../../server/src/organizations/activities/activity-record.ts';
import type { RecordBodies, RecordKind } from '../../../server/src/organizations/records.ts';
import { buildSnapshot, emptyContent, type Snapshot } from '../../../server/src/organizations/snapshot/snapshot.ts';

export const NOW = Date.parse('2026-06-01T12:00:00Z');
export const HOUR = 60 * 60 * 1000;

const dates = { createdAtMs: NOW - 48 * HOUR, updatedAtMs: NOW - 48 * HOUR };

/** A user with one API key, whose id is `<id>-key`. */
export interface Person {
  readonly id: string;
  readonly userTags?: readonly string[];
  readonly key?: Partial<RecordBodies['apiKey']>;
}

export interface PolicyText {
  readonly language?: 2 | 3;
  readonly effect?: 'EFFECT_ALLOW' | 'EFFECT_DENY';
  readonly condition?: string;
  readonly consensus?: string;
  readonly time?: string;
}

/** An organization in memory. Its MACs are empty: nothing here checks them. */
export function organization(
  people: readonly Person[],
  policies: Readonly<Record<string, PolicyText>> = {},
  rootQuorum: RecordBodies['organization']['rootQuorum'] = { threshold: 1, userIds: [] },
): Snapshot {
  const content = emptyContent();
  const records: Record<string, PersistentMap<unknown>> = { ...content.records };
  const put = <K extends RecordKind>(kind: K, id: string, body: RecordBodies[K]) => {
    records[kind] = (records[kind] as PersistentMap<unknown>).with(id, body);
  };
  put('organization', 'o', { name: 'Organization', parentId: null, rootQuorum, features: [], ...dates });
  for (const { id, userTags = [], key } of people) {
    put('user', id, { userName: `Name of ${id}`, userTags, ...dates });
    put('apiKey', `${id}-key`, {
      userId: id,
      apiKeyName: 'Key',
      publicKey: `02${id}`,
      curve: 'API_KEY_CURVE_P256',
      type: 'CREDENTIAL_TYPE_API_KEY_P256',
      ...dates,
      ...key,
    });
  }
  for (const [id, { effect = 'EFFECT_ALLOW', ...text }] of Object.entries(policies)) {
    put('policy', id, { policyName: id, effect, notes: '', ...text, ...dates });
  }
  return buildSnapshot('o', { version: 1, mac: new Uint8Array(32) }, { ...content, records: records as never });
}

/** An approval by a user of `organization`, an hour ago. */
export function vote(userId: string, change: Partial<VoteRecord> = {}): VoteRecord {
  return {
    id: `vote-of-${userId}`,
    userId,
    userName: `Name of ${userId}`,
    credentialId: `${userId}-key`,
    selection: 'VOTE_SELECTION_APPROVED',
    message: '{}',
    publicKey: `02${userId}`,
    signature: '',
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    createdAtMs: NOW - HOUR,
    ...change,
  };
}

/** A request to sign a raw payload. */
export function judgement(where: Snapshot, votes: readonly VoteRecord[], change: Partial<Judgement> = {}): Judgement {
  const definition: ActivityDefinition = change.definition ?? activities.signRawPayload;
  return {
    organization: where,
    target: where,
    votes,
    definition,
    type: definition.type,
    params: {},
    subject: {},
    nowMs: NOW,
    ...change,
  };
}
