import {
  activityStatus,
  activityType,
  defaults,
  ServiceError,
  type WebhookDeliveryMode,
  type WebhookSubscription,
} from '@countersign/contract';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { lazyLru } from '../../admission/index.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Snapshots } from '../../organizations/snapshot/snapshots.ts';
import type { Write } from '../../store/rows.ts';
import type { Integrity } from '../../vault/vault.ts';
import { eventBody } from './event-body.ts';
import { eventId } from './event-id.ts';
import type { FullQueues } from './full-queues.ts';
import { SENDS, type SendUpdate, sendEventBody } from './send-event.ts';

/**
 * Creates the event rows of an activity for its subscribers: one body, and a reference for each endpoint. Write them in the commit that
 * stores the activity: `organization` is the state after that commit.
 */
export type WebhookEventsFor = (organization: Snapshot, record: ActivityRecord, revision: number) => Promise<readonly Write[]>;

/** Creates the event rows of a new state of a transaction that the service sends. Write them in the transaction that stores the state. */
export type SendEventsFor = (update: SendUpdate) => Promise<readonly Write[]>;

/** Both kinds of events. */
export interface WebhookEvents {
  readonly ofActivity: WebhookEventsFor;
  readonly ofSend: SendEventsFor;
}

/** How long a parent's endpoints are cached before the stored version is checked again. */
const PARENT_FRESH_MS = 2_000;
const MAX_PARENTS = 10_000;

export function createWebhookEvents(
  snapshots: Snapshots,
  integrity: Integrity,
  fullQueues: Pick<FullQueues, 'refuses'>,
): WebhookEvents {
  const fresh = new LRUCache<string, true>({ ...lazyLru(MAX_PARENTS), ttl: PARENT_FRESH_MS });

  /** The parent's subscribers. A parent with state that fails verification gets no events; its sub-organizations continue. */
  async function parentSubscribers(parentId: string): Promise<readonly Subscriber[]> {
    try {
      if (!fresh.has(parentId)) {
        await snapshots.current(parentId);
        fresh.set(parentId, true);
      }
      const parent = await snapshots.get(parentId);
      return parent === undefined ? [] : subscribersOf(parent);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'STATE_TAMPERED') return [];
      throw error;
    }
  }

  /** The subscribers of an organization and of its parent, with the organizations that they belong to. */
  async function listeners(organization: Snapshot): Promise<readonly Listener[]> {
    const { parentId } = organization.profile;
    const above = parentId === null ? [] : await parentSubscribers(parentId);
    return [
      ...subscribersOf(organization).map((subscriber) => ({ listenerId: organization.id, subscriber })),
      ...above.map((subscriber) => ({ listenerId: parentId as string, subscriber })),
    ];
  }

  function rowsFor({ id, organizationId, createdAtMs, body }: NewEvent, wanting: readonly Listener[]): readonly Write[] {
    const references = wanting.map(({ listenerId, subscriber: { endpointId } }): Write => {
      const event = { organizationId, id, listenerId, endpointId, createdAtMs, body };
      return { op: 'put', table: 'events', row: { ...event, mac: integrity.event(event), body: '' } };
    });
    return [{ op: 'put', table: 'event_bodies', row: { organizationId, id, body } }, ...references];
  }

  return {
    async ofActivity(organization, record, revision) {
      const testedId = testedEndpoint(record);
      const wanting = (await listeners(organization)).filter(
        ({ subscriber: { endpointId, wants } }) => endpointId === testedId || (wants(record) && !fullQueues.refuses(endpointId)),
      );
      if (wanting.length === 0) return [];
      const { id: organizationId } = organization;
      const id = eventId(record.id, revision);
      return rowsFor({ id, organizationId, createdAtMs: record.updatedAtMs, body: eventBody(record, organization) }, wanting);
    },

    async ofSend(update) {
      const organization = await snapshots.get(update.organizationId);
      if (organization === undefined) return [];
      const wanting = (await listeners(organization)).filter(
        ({ subscriber: { endpointId, wantsSends } }) => wantsSends && !fullQueues.refuses(endpointId),
      );
      if (wanting.length === 0) return [];
      const { id, revision, organizationId, updatedAtMs: createdAtMs } = update;
      return rowsFor({ id: eventId(id, revision), organizationId, createdAtMs, body: sendEventBody(update) }, wanting);
    },
  };
}

interface Listener {
  readonly listenerId: string;
  readonly subscriber: Subscriber;
}

interface NewEvent {
  readonly id: string;
  readonly organizationId: string;
  readonly createdAtMs: number;
  readonly body: string;
}

/** An endpoint that receives events about activities. */
export interface Subscriber {
  readonly endpointId: string;
  readonly url: string;
  readonly mode: WebhookDeliveryMode;
  wants(record: Pick<ActivityRecord, 'type' | 'status'>): boolean;
  /** Whether it receives new states of transactions that the service sends. */
  readonly wantsSends: boolean;
}

/** Which activities a subscription covers. An absent list excludes nothing. */
const filters = z.strictObject({
  types: z.array(activityType).min(1, 'must not be empty').optional(),
  statuses: z.array(activityStatus).min(1, 'must not be empty').optional(),
});

type SubscriptionFilters = z.output<typeof filters>;

/** Reads `filtersJson`. Returns the problem if it is not a filter. */
export function readFilters(json: string): SubscriptionFilters | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { problem: 'must be JSON' };
  }
  const read = filters.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return {
    problem: `must be an object with types and statuses, or one of them; ${where}${issue?.message ?? 'it is something else'}`,
  };
}

const compiled = new WeakMap<Snapshot, readonly Subscriber[]>();

/** The organization's own subscribers, computed once per snapshot. */
export function subscribersOf(organization: Snapshot): readonly Subscriber[] {
  const known = compiled.get(organization);
  if (known !== undefined) return known;
  const endpoints = [...organization.records.webhookEndpoint]
    .filter(([, { isActive }]) => isActive)
    .map(([endpointId, { url, subscriptions, deliveryMode: mode = defaults.webhookDeliveryMode }]) => ({
      endpointId,
      url,
      mode,
      wants: wantedBy(subscriptions),
      wantsSends: subscriptions.some(({ eventType, isActive: isOn = true }) => isOn && eventType === SENDS),
    }));
  const subscribers = [...endpoints, ...byFeature(organization)];
  compiled.set(organization, subscribers);
  return subscribers;
}

/** The one address of FEATURE_NAME_WEBHOOK, with the organization's id as its endpoint id. It predates endpoints. */
function byFeature({ id, profile }: Snapshot): readonly Subscriber[] {
  const url = profile.features.find(({ name }) => name === 'FEATURE_NAME_WEBHOOK')?.value;
  return url === undefined
    ? []
    : [{ endpointId: id, url, mode: defaults.webhookDeliveryMode, wants: () => true, wantsSends: false }];
}

function wantedBy(subscriptions: readonly WebhookSubscription[]): Subscriber['wants'] {
  const wanted = subscriptions
    .filter(({ eventType, isActive = true }) => isActive && eventType !== SENDS)
    .flatMap(({ filtersJson }) => {
      const read = filtersJson === undefined ? {} : readFilters(filtersJson);
      return 'problem' in read ? [] : [read];
    });
  return ({ type, status }) =>
    wanted.some(({ types, statuses }) => (types?.includes(type) ?? true) && (statuses?.includes(status) ?? true));
}

/** The endpoint that an activity tests. It gets the event regardless of its subscriptions. */
function testedEndpoint({ type, status, intent }: Pick<ActivityRecord, 'type' | 'status' | 'intent'>): string | undefined {
  if (type !== 'ACTIVITY_TYPE_TEST_WEBHOOK_ENDPOINT' || status !== 'ACTIVITY_STATUS_COMPLETED') return undefined;
  return (intent as { endpointId: string }).endpointId;
}

/** Calls `resume` for the endpoint that a committed activity changed, if any: it may have another receiver now. */
export function resumeChangedEndpoints(resume: (endpointId: string) => void): (record: ActivityRecord) => void {
  return (record) => {
    const endpointId = changedEndpoint(record);
    if (endpointId !== undefined) resume(endpointId);
  };
}

function changedEndpoint({ type, status, organizationId, intent }: ActivityRecord): string | undefined {
  if (status !== 'ACTIVITY_STATUS_COMPLETED') return undefined;
  if (type === 'ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT') return (intent as { endpointId: string }).endpointId;
  return type === 'ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE' ? organizationId : undefined;
}
