import { activityStatus, activityType, type WebhookSubscription } from '@countersign/contract';
import { z } from 'zod';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';

/** An endpoint that receives events about activities. */
export interface Subscriber {
  readonly endpointId: string;
  readonly url: string;
  wants(record: Pick<ActivityRecord, 'type' | 'status'>): boolean;
}

/** Which activities a subscription covers. An absent list excludes nothing. */
const filters = z.strictObject({
  types: z.array(activityType).min(1, 'must not be empty').optional(),
  statuses: z.array(activityStatus).min(1, 'must not be empty').optional(),
});

export type SubscriptionFilters = z.output<typeof filters>;

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
    .map(([endpointId, { url, subscriptions }]) => ({ endpointId, url, wants: wantedBy(subscriptions) }));
  const subscribers = [...endpoints, ...byFeature(organization)];
  compiled.set(organization, subscribers);
  return subscribers;
}

/** The one address of FEATURE_NAME_WEBHOOK, with the organization's id as its endpoint id. It predates endpoints. */
function byFeature({ id, profile }: Snapshot): readonly Subscriber[] {
  const url = profile.features.find(({ name }) => name === 'FEATURE_NAME_WEBHOOK')?.value;
  return url === undefined ? [] : [{ endpointId: id, url, wants: () => true }];
}

function wantedBy(subscriptions: readonly WebhookSubscription[]): Subscriber['wants'] {
  const wanted = subscriptions
    .filter(({ isActive = true }) => isActive)
    .flatMap(({ filtersJson }) => {
      const read = filtersJson === undefined ? {} : readFilters(filtersJson);
      return 'problem' in read ? [] : [read];
    });
  return ({ type, status }) =>
    wanted.some(({ types, statuses }) => (types?.includes(type) ?? true) && (statuses?.includes(status) ?? true));
}

/** The endpoint that an activity tests. It gets the event regardless of its subscriptions. */
export function testedEndpoint({ type, status, intent }: Pick<ActivityRecord, 'type' | 'status' | 'intent'>): string | undefined {
  if (type !== 'ACTIVITY_TYPE_TEST_WEBHOOK_ENDPOINT' || status !== 'ACTIVITY_STATUS_COMPLETED') return undefined;
  return (intent as { endpointId: string }).endpointId;
}

/** The endpoint that an activity changed, if any: it may have another receiver now. */
export function changedEndpoint({ type, status, organizationId, intent }: ActivityRecord): string | undefined {
  if (status !== 'ACTIVITY_STATUS_COMPLETED') return undefined;
  if (type === 'ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT') return (intent as { endpointId: string }).endpointId;
  return type === 'ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE' ? organizationId : undefined;
}
