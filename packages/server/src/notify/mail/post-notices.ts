import type { Logger } from 'pino';
import { effectiveLimits, type Limits } from '../../config/limits.ts';
import type { ActivityReader } from '../../organizations/activities/activities.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Snapshots } from '../../organizations/snapshot/snapshots.ts';
import { dayOf } from '../../store/counters.ts';
import type { Store } from '../../store/store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Message, PushMessage } from './message.ts';

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

/**
 * The subject of a notice. Each has a daily quota.
 * SECURITY: a user who creates many pending activities cannot use up the notices of freezes.
 */
type Subject = 'approval' | 'freeze' | 'webhook';

/** Adds messages to the outbox, within the daily quota. Returns the number of added messages. */
export async function postWithinQuota(
  services: NoticeServices,
  organization: Snapshot,
  subject: Subject,
  messages: readonly (Message | PushMessage)[],
): Promise<number> {
  const { store, vault, clock, newId, log } = services;
  let posted = 0;
  for (const message of messages) {
    if (!(await takeFromQuota(services, organization, `${subject}-messages`, message.channel))) continue;
    const id = newId();
    const row = { organizationId: organization.id, id, dueAtMs: clock.nowMs(), expiresAtMs: message.expiresAtMs };
    const add = async () => {
      const ciphertext = await vault.outbox.seal(organization.id, id, JSON.stringify(message));
      return store.outbox.add({ ...row, ciphertext, state: 'waiting', attempts: 0, fault: '' });
    };
    if (!(await add())) {
      vault.renewDataKey(organization.id);
      await add();
    }
    posted += 1;
  }
  if (posted > 0) services.onOutbox();
  else if (messages.length > 0)
    log.warn({ organizationId: organization.id }, `the daily limit of ${subject} notifications is reached`);
  return posted;
}

/**
 * Takes one message from the daily quota. Returns false if the quota is used up.
 * SECURITY: these quotas are separate from the quota of other mails, and as large. A user who creates many pending activities cannot use up
 * the mails that others need to sign in.
 */
async function takeFromQuota(
  { store, clock, limits: forAll }: NoticeServices,
  organization: Snapshot,
  counter: string,
  channel: (Message | PushMessage)['channel'],
): Promise<boolean> {
  const { parentId } = organization.profile;
  const limits = effectiveLimits(organization, forAll);
  const day = dayOf(clock.nowMs());
  const take = (organizationId: string, name: string, limit: number) =>
    store.counters.add({ organizationId, name: `${name}/${channel}`, day }, 1, limit);
  if (parentId === null) return take(organization.id, counter, limits.maxMails);
  if (!(await take(organization.id, counter, limits.maxMailsPerSubOrganization))) return false;
  return take(parentId, `${counter}-of-sub-organizations`, limits.maxMailsOfSubOrganizations);
}
