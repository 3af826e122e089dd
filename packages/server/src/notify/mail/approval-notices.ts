import { ServiceError } from '@countersign/contract';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { referenceOf } from '../../organizations/activities/reference-of.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { ApprovalNoticeRow } from '../../store/rows.ts';
import { ENDPOINT_READERS, tellDisabled } from './endpoint-notices.ts';
import { noteFreezes, ROOT_QUORUM, tellFreezes } from './freeze-notices.ts';
import type { Message, NoticedActivities, PushMessage } from './message.ts';
import { type NoticeServices, postWithinQuota } from './post-notices.ts';
import { approvalAddress, approvalBrowsers, approvalMailPauseMs, sentenceOf, wantedOf } from './wanted-approvals.ts';

/** Name of the setting that stores how many leaves of the log were scanned. */
const LOOKED_AT = 'approval-notices';
/** Leaves per scan. The database returns only those of pending activities. */
const MOST_LEAVES = 1_024;
/** Delay of a notice. It batches activities into one mail, and lets users with an open console answer first. */
const GATHER_MS = 15_000;
const LEASE_MS = 60_000;
const MOST_NOTICES = 32;
/** Maximum number of pending activities to read per organization, newest first. */
const MOST_READ = 200;
const MOST_ITEMS = 10;
/** Lifetime of a mail. A later mail would be outdated. */
const USEFUL_MS = 24 * 3_600_000;
/** Lifetime of a push. The mail or the next push contains the same. */
const PUSH_USEFUL_MS = 4 * 3_600_000;

/**
 * Scans the log for activities that became pending and for freezes since the last scan, and schedules notices for approvers and root
 * quorums. Returns true if there are more leaves to scan.
 * INVARIANT: the scan position advances only after all notices are stored. After a crash, the same leaves are scanned and scheduled again.
 */
export async function noteWanted(services: NoticeServices): Promise<boolean> {
  const { store, clock } = services;
  const size = (await store.log.state())?.size ?? 0;
  const stored = await store.vault.setting(LOOKED_AT);
  // Without a stored position, start at the end of the log: older activities get no notice.
  const from = stored === undefined ? size : Math.min(Number(stored.body), size);
  const to = Math.min(size, from + MOST_LEAVES);
  if (stored !== undefined && to === from) return false;
  const waiting = new Map<string, Set<string>>();
  for (const { organizationId, activityId } of await store.log.waitingLeaves(from, to)) {
    waiting.set(organizationId, (waiting.get(organizationId) ?? new Set()).add(activityId));
  }
  for (const [organizationId, activityIds] of waiting) {
    await skippingTampered(async () => {
      const organization = await services.snapshots.current(organizationId);
      const pauseMs = organization && approvalMailPauseMs(organization);
      if (organization === undefined || pauseMs === undefined) return;
      for (const userId of await wantedFor(services, organization, activityIds)) {
        const nowMs = clock.nowMs();
        const browsers = approvalBrowsers(organization, userId, nowMs);
        if (approvalAddress(organization, userId) === undefined && browsers.length === 0) continue;
        await store.notices.wish({ organizationId, userId, dueAtMs: nowMs + GATHER_MS }, pauseMs);
      }
    });
  }
  for (const organizationId of await store.log.freezeLeaves(from, to))
    await skippingTampered(() => noteFreezes(services, organizationId));
  await store.vault.replaceSetting({ name: LOOKED_AT, body: String(to) }, stored?.body);
  return to < size;
}

/** Writes the mails and pushes that are due. Returns true if any notice was due. */
export async function tellDue(services: NoticeServices): Promise<boolean> {
  const { store, clock } = services;
  const claimed = await store.notices.claim(clock.nowMs(), LEASE_MS, MOST_NOTICES);
  const byOrganization = new Map<string, ApprovalNoticeRow[]>();
  for (const notice of claimed) {
    const notices = byOrganization.get(notice.organizationId) ?? [];
    byOrganization.set(notice.organizationId, [...notices, notice]);
  }
  for (const [organizationId, notices] of byOrganization) {
    await skippingTampered(async () => {
      const organization = await services.snapshots.current(organizationId);
      for (const notice of notices) {
        const tell = tellers.get(notice.userId);
        if (organization !== undefined) await tell?.(services, organization, notice);
      }
      await tellUsers(
        services,
        organization,
        organization === undefined ? notices : notices.filter(({ userId }) => !tellers.has(userId)),
      );
    });
  }
  return claimed.length > 0;
}

/** Notices that are not for one user, by the id that stands for their readers. */
const tellers = new Map([
  [ROOT_QUORUM, tellFreezes],
  [ENDPOINT_READERS, tellDisabled],
]);

async function tellUsers(services: NoticeServices, organization: Snapshot | undefined, notices: readonly ApprovalNoticeRow[]) {
  const { store, clock } = services;
  const pauseMs = organization && approvalMailPauseMs(organization);
  const isOff = organization === undefined || pauseMs === undefined;
  const records = isOff ? [] : await newestWaiting(services, organization);
  for (const notice of notices) {
    const to = isOff ? undefined : approvalAddress(organization, notice.userId);
    const browsers = isOff ? [] : approvalBrowsers(organization, notice.userId, clock.nowMs());
    const own = records.filter((record) => organization !== undefined && wantedOf(organization, record).includes(notice.userId));
    if (isOff || (to === undefined && browsers.length === 0) || own.length === 0) {
      await store.notices.finish(notice, notice.toldAtMs, pauseMs ?? 0);
      continue;
    }
    const messages = [
      ...(to === undefined ? [] : [mailTo(organization, to, own, clock.nowMs())]),
      ...browsers.map((id) => pushTo(organization, id, own, clock.nowMs())),
    ];
    if ((await postWithinQuota(services, organization, 'approval', messages)) > 0)
      await store.notices.finish(notice, clock.nowMs(), pauseMs);
  }
}

/** Users whose approval the activities need, if these are still pending. Reads one activity at a time, since each may be large. */
async function wantedFor(
  { activities }: NoticeServices,
  organization: Snapshot,
  activityIds: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const wanted = new Set<string>();
  for (const activityId of activityIds) {
    const isOpen = organization.records.openActivity.has(activityId);
    const record = isOpen ? await activities.get(organization.id, activityId) : undefined;
    for (const userId of record === undefined ? [] : wantedOf(organization, record)) wanted.add(userId);
  }
  return wanted;
}

/** The newest pending activities, newest first, without their texts: those can be large, and messages do not contain them. */
async function newestWaiting({ activities }: NoticeServices, { id, records }: Snapshot): Promise<readonly Waiting[]> {
  if (records.openActivity.size === 0) return [];
  const found: Waiting[] = [];
  const filter = { statuses: ['ACTIVITY_STATUS_CONSENSUS_NEEDED' as const] };
  for await (const part of activities.pageParts(id, filter, { limit: MOST_READ }))
    found.push(...part.filter((record) => records.openActivity.has(record.id)).map(withoutTexts));
  return found;
}

/** A pending activity without its texts, and its reference. */
interface Waiting extends ActivityRecord {
  readonly reference: string | undefined;
}

function withoutTexts({ judgedParameters: _, ...record }: ActivityRecord): Waiting {
  const reference = referenceOf(record);
  return { ...record, reference, intent: null, result: null, votes: record.votes.map((vote) => ({ ...vote, message: '' })) };
}

/**
 * SECURITY: users of a sub-organization choose their names, and their requests can contain any text. Messages come from the operator's
 * domain, so those of sub-organizations contain only activity ids and a count.
 */
function waitingIn(organization: Snapshot, records: readonly Waiting[], most: number): NoticedActivities {
  const isTopLevel = organization.profile.parentId === null;
  return {
    organizationId: organization.id,
    items: records.slice(0, most).map((record) => ({
      activityId: record.id,
      ...(isTopLevel && { sentence: sentenceOf(record, record.reference) }),
    })),
    more: Math.max(0, records.length - most),
  };
}

function mailTo(organization: Snapshot, to: string, records: readonly Waiting[], nowMs: number): Message {
  return {
    channel: 'EMAIL',
    purpose: 'APPROVALS',
    to,
    secret: '',
    approvals: waitingIn(organization, records, MOST_ITEMS),
    expiresAtMs: nowMs + USEFUL_MS,
    organizationName: organization.profile.parentId === null ? organization.profile.name : '',
    look: {},
    sender: {},
  };
}

/** A notification has room for one sentence. */
function pushTo(organization: Snapshot, subscriptionId: string, records: readonly Waiting[], nowMs: number): PushMessage {
  const approvals = waitingIn(organization, records, 1);
  return { channel: 'PUSH', subscriptionId, approvals, expiresAtMs: nowMs + PUSH_USEFUL_MS };
}

/**
 * Skips organizations with state that fails verification. The code that reads this state raises the alarm; others must still get notices.
 */
async function skippingTampered(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'STATE_TAMPERED')) throw error;
  }
}
