import { activities } from '@countersign/contract';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { ApprovalNoticeRow } from '../../store/rows.ts';
import type { Message, NoticedActivities, PushMessage } from './message.ts';
import { type NoticeServices, postWithinQuota } from './post-notices.ts';
import { approvalAddress, approvalBrowsers, approvalMailPauseMs, plainSentence } from './wanted-approvals.ts';
import { showTime } from './words.ts';

/** Stands for the root quorum in the table of notices. No user has this id. */
export const ROOT_QUORUM = 'root-quorum';

/** Delay of a notice. Short, because a freeze is an emergency; it batches several freezes. */
const GATHER_MS = 2_000;
/** Minimum pause between two notices of an organization. */
const PAUSE_MS = 60_000;
/** The log contains an activity at most this long after its time. */
const LOG_DELAY_MS = 60_000;
const MOST_ITEMS = 10;
/** Maximum number of freezes and unfreezes to read, newest first. */
const MOST_READ = 200;
/** Lifetime of a notice, and the maximum age of the activities in it. */
const USEFUL_MS = 24 * 3_600_000;

/**
 * Schedules notices for the root quorums of organizations that froze or unfroze something, according to a part of the log.
 * They are not part of the commit of a freeze: neither a used-up quota nor a mail server can prevent a freeze.
 */
export async function noteFreezes({ store, snapshots, clock }: NoticeServices, organizationId: string): Promise<void> {
  const organization = await snapshots.current(organizationId);
  if (organization === undefined || approvalMailPauseMs(organization) === undefined) return;
  await store.notices.wish({ organizationId, userId: ROOT_QUORUM, dueAtMs: clock.nowMs() + GATHER_MS }, PAUSE_MS);
}

/**
 * Writes the mails and pushes about freezes and unfreezes since the last notice to the people of the root quorum.
 * SECURITY: D383: frozen members get them too. They may read freezes and vote for an unfreeze, and a thief who freezes all other members must
 * not silence their notices.
 */
export async function tellFreezes(services: NoticeServices, organization: Snapshot, notice: ApprovalNoticeRow): Promise<void> {
  const { store, clock } = services;
  const nowMs = clock.nowMs();
  const isOff = approvalMailPauseMs(organization) === undefined;
  const changes = isOff
    ? []
    : await latestChanges(services, organization, Math.max(notice.toldAtMs - LOG_DELAY_MS, nowMs - USEFUL_MS));
  const messages = changes.length === 0 ? [] : messagesFor(organization, changes, nowMs);
  const posted = await postWithinQuota(services, organization, 'freeze', messages);
  await store.notices.finish(notice, posted === 0 ? notice.toldAtMs : nowMs, PAUSE_MS);
}

/**
 * The newest freezes and unfreezes since a time that changed something, newest first.
 * SECURITY: freezing again what is frozen changes nothing and needs no notice, but many such activities must not hide others: all are
 * listed if there are more than can be read.
 */
async function latestChanges({ activities: reader }: NoticeServices, { id }: Snapshot, sinceMs: number) {
  const types = [activities.freeze.type, activities.unfreeze.type];
  const recent: ActivityRecord[] = [];
  let read = 0;
  for await (const part of reader.pageParts(id, { types, statuses: ['ACTIVITY_STATUS_COMPLETED'] }, { limit: MOST_READ })) {
    read += part.length;
    recent.push(...part.filter(({ updatedAtMs }) => updatedAtMs > sinceMs));
  }
  const changes = recent.filter((record) => changedIds(record).length > 0);
  return changes.length === 0 && read === MOST_READ ? recent : changes;
}

/** What an activity froze or unfroze. Freezing what is frozen changes nothing. */
function changedIds({ result }: ActivityRecord): readonly string[] {
  const { frozenIds, unfrozenIds } = (result ?? {}) as { frozenIds?: string[]; unfrozenIds?: string[] };
  return frozenIds ?? unfrozenIds ?? [];
}

function messagesFor(organization: Snapshot, changes: readonly ActivityRecord[], nowMs: number): (Message | PushMessage)[] {
  const expiresAtMs = nowMs + USEFUL_MS;
  const organizationName = organization.profile.parentId === null ? organization.profile.name : '';
  return organization.profile.rootQuorum.userIds.flatMap((userId) => {
    const to = approvalAddress(organization, userId);
    const pushes = approvalBrowsers(organization, userId, nowMs).map(
      (subscriptionId): PushMessage => ({
        channel: 'PUSH',
        subscriptionId,
        about: 'FREEZES',
        approvals: listed(organization, changes, 1),
        expiresAtMs,
      }),
    );
    if (to === undefined) return pushes;
    const approvals = listed(organization, changes, MOST_ITEMS);
    const look = { look: {}, sender: {}, secret: '' };
    return [{ channel: 'EMAIL', purpose: 'FREEZES', to, approvals, expiresAtMs, organizationName, ...look }, ...pushes];
  });
}

/** SECURITY: users of sub-organizations write the reasons and names there, so messages about them contain only ids. */
function listed(organization: Snapshot, changes: readonly ActivityRecord[], most: number): NoticedActivities {
  const isTopLevel = organization.profile.parentId === null;
  return {
    organizationId: organization.id,
    items: changes
      .slice(0, most)
      .map((record) => ({ activityId: record.id, ...(isTopLevel && { sentence: sentenceOf(record) }) })),
    more: Math.max(0, changes.length - most),
  };
}

/** Describes a freeze or an unfreeze: who, what, when and why. */
function sentenceOf(record: ActivityRecord): string {
  const { organizationId, type, votes, intent, updatedAtMs } = record;
  const changed = new Set(changedIds(record));
  const params = (intent ?? {}) as Readonly<Record<string, unknown>>;
  const count = (ids: unknown) => (Array.isArray(ids) ? ids.filter((id) => changed.has(String(id))).length : 0);
  const parts = [
    ...(changed.has(organizationId) ? ['the organization'] : []),
    ...counted(count(params.userIds), 'user', 'users'),
    ...counted(count(params.walletIds), 'wallet', 'wallets'),
    ...counted(count(params.privateKeyIds), 'private key', 'private keys'),
  ];
  const verb = type === activities.freeze.type ? 'froze' : 'unfroze';
  const reason = typeof params.reason === 'string' ? `: "${params.reason}"` : '';
  return plainSentence(
    `${showTime(updatedAtMs)}: ${votes[0]?.userName ?? 'Someone'} ${verb} ${parts.join(', ') || 'nothing new'}${reason}`,
  );
}

const counted = (count: number, one: string, several: string) =>
  count === 0 ? [] : [count === 1 ? `one ${one}` : `${count} ${several}`];
