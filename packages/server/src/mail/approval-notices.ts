import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import type { Limits } from '../config/limits.ts';
import type { ActivityReader } from '../organizations/activities.ts';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import { limitsOf } from '../organizations/limits-of.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import type { Snapshots } from '../organizations/snapshots.ts';
import { dayOf } from '../store/counters.ts';
import type { ApprovalNoticeRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import type { Message, WaitingApprovals } from './message.ts';
import { postMessage } from './post-message.ts';
import { approvalAddress, approvalMailPauseMs, sentenceOf, wantedOf } from './wanted-approvals.ts';

export interface NoticeServices {
  readonly store: Pick<Store, 'log' | 'notices' | 'outbox' | 'counters' | 'vault'>;
  readonly vault: Vault;
  readonly snapshots: Pick<Snapshots, 'current'>;
  readonly activities: Pick<ActivityReader, 'get' | 'page'>;
  readonly limits: Limits;
  readonly clock: { nowMs(): number };
  readonly log: Pick<Logger, 'warn'>;
  newId(): string;
  /** Told when messages wait. */
  onOutbox(): void;
}

/** The setting that says how many leaves of the log were looked at. */
const LOOKED_AT = 'approval-notices';
/** Leaves of one look. Most of them say nothing of interest, and never leave the database. */
const MOST_LEAVES = 1_024;
/** How long activities gather for one mail, and how long those who have the console open have to answer first. */
const GATHER_MS = 15_000;
const LEASE_MS = 60_000;
const MOST_NOTICES = 32;
/** Waiting activities that are read for the mails of one organization: the newest. */
const MOST_READ = 200;
const MOST_ITEMS = 10;
/** A mail that comes later tells nothing new. */
const USEFUL_MS = 24 * 3_600_000;

/**
 * Looks at what came to wait for approvals since the last look, and notes whom to tell. Gives whether more is left.
 * INVARIANT: a look is over only when all is noted. A node that dies before looks again, and notes the same once more.
 */
export async function noteWanted(services: NoticeServices): Promise<boolean> {
  const { store, clock } = services;
  const size = (await store.log.state())?.size ?? 0;
  const stored = await store.vault.setting(LOOKED_AT);
  // What waited before this release was told otherwise.
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
        if (approvalAddress(organization, userId) === undefined) continue;
        await store.notices.wish({ organizationId, userId, dueAtMs: clock.nowMs() + GATHER_MS }, pauseMs);
      }
    });
  }
  await store.vault.replaceSetting({ name: LOOKED_AT, body: String(to) }, stored?.body);
  return to < size;
}

/** Writes the mails that are due. Gives whether there were any. */
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
    const own = records.filter((record) => wantedOf(record).includes(notice.userId));
    if (isOff || to === undefined || own.length === 0) {
      await store.notices.settle(notice, notice.toldAtMs, pauseMs ?? 0);
      continue;
    }
    if (!(await mayMail(services, organization))) {
      services.log.warn({ organizationId: organization.id }, 'the limit of mails about approvals is reached for today');
      continue;
    }
    const message = messageTo(organization, to, own, clock.nowMs());
    const { ciphertext, id, dueAtMs, expiresAtMs } = await postMessage(
      { ...services, organization, nowMs: clock.nowMs() },
      message,
    );
    const row = { organizationId: organization.id, id, dueAtMs, expiresAtMs, ciphertext };
    await store.outbox.add({ ...row, state: 'waiting', attempts: 0, fault: '' });
    await store.notices.settle(notice, clock.nowMs(), pauseMs);
    services.onOutbox();
  }
}

/** Whose approval those of the activities that still wait are waiting for. One activity is read at a time, since each may be large. */
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

/** The newest activities that wait, newest first: as many as a page holds, so fewer where they are large. */
async function newestWaiting({ activities }: NoticeServices, { id, records }: Snapshot): Promise<readonly ActivityRecord[]> {
  if (records.openActivity.size === 0) return [];
  const page = await activities.page(id, { statuses: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] }, { limit: MOST_READ });
  return page.filter((record) => records.openActivity.has(record.id));
}

/**
 * SECURITY: users of a sub-organization choose their names, and what they ask for may hold any text. From the operator's domain, to
 * whatever address, their mail says no more than how much waits.
 */
function messageTo(organization: Snapshot, to: string, records: readonly ActivityRecord[], nowMs: number): Message {
  const isTopLevel = organization.profile.parentId === null;
  const approvals: WaitingApprovals = {
    organizationId: organization.id,
    items: records.slice(0, MOST_ITEMS).map((record) => ({
      activityId: record.id,
      ...(isTopLevel && { sentence: sentenceOf(record) }),
    })),
    more: Math.max(0, records.length - MOST_ITEMS),
  };
  return {
    channel: 'EMAIL',
    purpose: 'APPROVALS',
    to,
    secret: '',
    approvals,
    expiresAtMs: nowMs + USEFUL_MS,
    organizationName: isTopLevel ? organization.profile.name : '',
    look: {},
    sender: {},
  };
}

/**
 * SECURITY: these mails have a budget of their own, as large as that of other mails. Whoever makes many activities wait uses up nothing
 * that others need to sign in.
 */
async function mayMail({ store, clock, limits: forAll }: NoticeServices, organization: Snapshot): Promise<boolean> {
  const { parentId } = organization.profile;
  const limits = limitsOf(organization, forAll);
  const day = dayOf(clock.nowMs());
  const take = (organizationId: string, name: string, limit: number) =>
    store.counters.add({ organizationId, name: `${name}/EMAIL`, day }, 1, limit);
  if (parentId === null) return take(organization.id, 'approval-messages', limits.maxMails);
  if (!(await take(organization.id, 'approval-messages', limits.maxMailsPerSubOrganization))) return false;
  return take(parentId, 'approval-messages-of-sub-organizations', limits.maxMailsOfSubOrganizations);
}

/** State that does not verify is refused where it is used, and raises its alarm. Others must still be told. */
async function skippingTampered(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'STATE_TAMPERED')) throw error;
  }
}
