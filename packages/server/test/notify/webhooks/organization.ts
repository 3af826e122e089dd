import type { PersistentMap } from '@countersign/collections';
import type { RecordBodies, RecordKind, WebhookEndpointRecord } from '../../../src/organizations/records.ts';
import { buildSnapshot, emptyContent, type Snapshot } from '../../../src/organizations/snapshot/snapshot.ts';

const dates = { createdAtMs: 1, updatedAtMs: 1 };

/** The webhook settings of an organization in memory. */
export interface Listening {
  readonly endpoints?: Readonly<Record<string, Partial<WebhookEndpointRecord>>>;
  readonly features?: RecordBodies['organization']['features'];
}

/** An organization in memory, with the id `o`. Its MACs are empty: nothing here checks them. */
export function organizationWith({ endpoints = {}, features = [] }: Listening = {}): Snapshot {
  const content = emptyContent();
  const records: Record<string, PersistentMap<unknown>> = { ...content.records };
  const put = <K extends RecordKind>(kind: K, id: string, body: RecordBodies[K]) => {
    records[kind] = (records[kind] as PersistentMap<unknown>).with(id, body);
  };
  const rootQuorum = { threshold: 1, userIds: ['u'] };
  put('organization', 'o', { name: 'Organization', parentId: null, rootQuorum, features, ...dates });
  put('user', 'u', { userName: 'User', userTags: [], ...dates });
  for (const [id, change] of Object.entries(endpoints)) {
    const subscriptions = [{ eventType: 'ACTIVITY_UPDATES' as const }];
    const record = { name: id, url: `https://${id}.example.com/`, isActive: true, subscriptions, ...dates, ...change };
    put('webhookEndpoint', id, record);
  }
  return buildSnapshot('o', { version: 1, mac: new Uint8Array(32) }, { ...content, records: records as never });
}
