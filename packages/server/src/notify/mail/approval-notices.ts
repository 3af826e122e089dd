import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import { effectiveLimits, type Limits } from '../../config/limits.ts';
import type { ActivityReader } from '../../organizations/activities/activities.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Snapshots } from '../../organizations/snapshot/snapshots.ts';
import { dayOf } from '../../store/counters.ts';
import type { ApprovalNoticeRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Message, PushMessage, WaitingApprovals } from './message.ts';
import { approvalAddress, approvalBrowsers, approvalMailPauseMs, sentenceOf, wantedOf } from './wanted-approvals.ts';

export interface NoticeServices {
  readonly store: Pick<Store, 'log' | 'notices' | 'outbox' | 'counters' | 'vault'>;
  readonly vault: Vault;
  readonly snapshots: Pick<Snapshots, 'current'>;
  readonly activities: Pick<ActivityReader, 'get' | 'pageParts'>;
  readonly limits: Limits;
  readonly clock: { nowMs(): number };
  readonly log: Pick<Logger, 'warn'>;
  newId(): string;
  /** Called after messages are added to the outbox. */
  onOutbox(): void;
}

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
 * Scans the log for activities that became pending since the last scan, and schedules notices for their approvers. Returns true if there
 * are more leaves to scan.
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
    await skippingTampered(async () => tellUsers(services, await services.snapshots.current(organizationId), notices));
  }
  return claimed.length > 0;
}

async function tellUsers(services: NoticeServices, organization: Snapshot | undefined, notices: readonly ApprovalNoticeRow[]) {
  const { store, clock } = services;
  const pauseMs = organization && approvalMailPauseMs(organization);
  const isOff = organization === undefined || pauseMs === undefined;
  const records = isOff ? [] : await newestWaiting(services, organization);
  for (const notice of notices) {
    const to = isOff ? undefined : approvalAddress(organization, notice.userId);
    const browsers = isOff ? [] : approvalBrowsers(organization, notice.userId, clock.nowMs());
    const own = records.filter((record) => wantedOf(record).includes(notice.userId));
    if (isOff || (to === undefined && browsers.length === 0) || own.length === 0) {
      await store.notices.finish(notice, notice.toldAtMs, pauseMs ?? 0);
      continue;
    }
    const told = [
      ...(to === undefined ? [] : [mailTo(organization, to, own, clock.nowMs())]),
      ...browsers.map((id) => pushTo(organization, id, own, clock.nowMs())),
    ];
    const posted = await postWithinBudget(services, organization, told);
    if (posted === 0) {
      services.log.warn({ organizationId: organization.id }, 'the daily limit of approval notifications is reached');
      continue;
    }
    await store.notices.finish(notice, clock.nowMs(), pauseMs);
    services.onOutbox();
  }
}

/** Adds messages to the outbox, within the daily quota. Returns the number of added messages. */
async function postWithinBudget(services: NoticeServices, organization: Snapshot, messages: readonly (Message | PushMessage)[]) {
  const { store, vault, clock, newId } = services;
  let posted = 0;
  for (const message of messages) {
    if (!(await mayTell(services, organization, message.channel))) continue;
    const id = newId();
    const ciphertext = await vault.outbox.seal(organization.id, id, JSON.stringify(message));
    const row = { organizationId: organization.id, id, dueAtMs: clock.nowMs(), expiresAtMs: message.expiresAtMs, ciphertext };
    await store.outbox.add({ ...row, state: 'waiting', attempts: 0, fault: '' });
    posted += 1;
  }
  return posted;
}

/** Users whose approval the activities need, if these are still pending. Reads one activity at a time, since each may be large. */
async function wantedFor(
  { activities }: NoticeServices,
  { id, records }: Snapshot,
  activityIds: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const wanted = new Set<string>();
  for (const activityId of activityIds) {
    const record = records.openActivity.has(activityId) ? await activities.get(id, activityId) : undefined;
    for (const userId of record === undefined ? [] : wantedOf(record)) wanted.add(userId);
  }
  return wanted;
}

/** The newest pending activities, newest first, without their texts: those can be large, and messages do not contain them. */
async function newestWaiting({ activities }: NoticeServices, { id, records }: Snapshot): Promise<readonly ActivityRecord[]> {
  if (records.openActivity.size === 0) return [];
  const found: ActivityRecord[] = [];
  const filter = { statuses: ['ACTIVITY_STATUS_CONSENSUS_NEEDED' as const] };
  for await (const part of activities.pageParts(id, filter, { limit: MOST_READ }))
    found.push(...part.filter((record) => records.openActivity.has(record.id)).map(withoutTexts));
  return found;
}

function withoutTexts({ judgedParameters: _, ...record }: ActivityRecord): ActivityRecord {
  return { ...record, intent: null, result: null, votes: record.votes.map((vote) => ({ ...vote, message: '' })) };
}

/**
 * SECURITY: users of a sub-organization choose their names, and their requests can contain any text. Messages come from the operator's
 * domain, so those of sub-organizations contain only activity ids and a count.
 */
function waitingIn(organization: Snapshot, records: readonly ActivityRecord[], most: number): WaitingApprovals {
  const isTopLevel = organization.profile.parentId === null;
  return {
    organizationId: organization.id,
    items: records.slice(0, most).map((record) => ({
      activityId: record.id,
      ...(isTopLevel && { sentence: sentenceOf(record) }),
    })),
    more: Math.max(0, records.length - most),
  };
}

function mailTo(organization: Snapshot, to: string, records: readonly ActivityRecord[], nowMs: number): Message {
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
function pushTo(organization: Snapshot, subscriptionId: string, records: readonly ActivityRecord[], nowMs: number): PushMessage {
  const approvals = waitingIn(organization, records, 1);
  return { channel: 'PUSH', subscriptionId, approvals, expiresAtMs: nowMs + PUSH_USEFUL_MS };
}

/**
 * Takes one message from the daily quota. Returns false if the quota is used up.
 * SECURITY: these quotas are separate from the quota of other mails, and as large. A user who creates many pending activities cannot use up
 * the mails that others need to sign in.
 */
async function mayTell(
  { store, clock, limits: forAll }: NoticeServices,
  organization: Snapshot,
  channel: (Message | PushMessage)['channel'],
): Promise<boolean> {
  const { parentId } = organization.profile;
  const limits = effectiveLimits(organization, forAll);
  const day = dayOf(clock.nowMs());
  const take = (organizationId: string, name: string, limit: number) =>
    store.counters.add({ organizationId, name: `${name}/${channel}`, day }, 1, limit);
  if (parentId === null) return take(organization.id, 'approval-messages', limits.maxMails);
  if (!(await take(organization.id, 'approval-messages', limits.maxMailsPerSubOrganization))) return false;
  return take(parentId, 'approval-messages-of-sub-organizations', limits.maxMailsOfSubOrganizations);
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
