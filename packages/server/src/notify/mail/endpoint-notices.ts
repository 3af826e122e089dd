import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { NoticeStore } from '../../store/notice-store.ts';
import type { ApprovalNoticeRow } from '../../store/rows.ts';
import type { Message } from './message.ts';
import { type NoticeServices, postWithinQuota } from './post-notices.ts';
import { approvalAddress, approvalMailPauseMs } from './wanted-approvals.ts';

/** Stands for the readers of these notices in the table of notices. No user has this id. */
export const ENDPOINT_READERS = 'webhook-endpoints';

/** Delay of a notice. It batches endpoints that are disabled together. */
const GATHER_MS = 60_000;
/** Minimum pause between two notices of an organization. */
const PAUSE_MS = 3_600_000;
/** Lifetime of a notice, and the maximum age of what it reports. */
const USEFUL_MS = 7 * 24 * 3_600_000;

/** Schedules a notice about a webhook endpoint that was disabled. */
export function noteDisabled(notices: Pick<NoticeStore, 'wish'>, organizationId: string, nowMs: number): Promise<void> {
  return notices.wish({ organizationId, userId: ENDPOINT_READERS, dueAtMs: nowMs + GATHER_MS }, PAUSE_MS);
}

/** Writes the mails about endpoints that were disabled since the last notice and still are, to the people of the root quorum. */
export async function tellDisabled(services: NoticeServices, organization: Snapshot, notice: ApprovalNoticeRow): Promise<void> {
  const { store, clock } = services;
  const nowMs = clock.nowMs();
  const sinceMs = Math.max(notice.toldAtMs - GATHER_MS, nowMs - USEFUL_MS);
  const isNew = ({ isActive, disabledAtMs = 0 }: { isActive: boolean; disabledAtMs?: number }) =>
    !isActive && disabledAtMs > sinceMs;
  const count = [...organization.records.webhookEndpoint.values()].filter(isNew).length;
  const isOff = approvalMailPauseMs(organization) === undefined;
  const messages = isOff || count === 0 ? [] : mailsFor(organization, count, nowMs);
  const posted = await postWithinQuota(services, organization, 'webhook', messages);
  await store.notices.finish(notice, posted === 0 ? notice.toldAtMs : nowMs, PAUSE_MS);
}

/** SECURITY: users choose the names and URLs of endpoints, and mails come from the operator's domain, so they contain neither. */
function mailsFor(organization: Snapshot, count: number, nowMs: number): Message[] {
  const { id, profile } = organization;
  const organizationName = profile.parentId === null ? profile.name : '';
  return profile.rootQuorum.userIds.flatMap((userId): Message[] => {
    const to = approvalAddress(organization, userId);
    if (to === undefined) return [];
    const approvals = { organizationId: id, items: [], more: count };
    const look = { look: {}, sender: {}, secret: '' };
    return [{ channel: 'EMAIL', purpose: 'ENDPOINTS', to, approvals, expiresAtMs: nowMs + USEFUL_MS, organizationName, ...look }];
  });
}
