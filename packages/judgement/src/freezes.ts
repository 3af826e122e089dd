import type { Denial } from '@countersign/policy';
import type { Approvable, Judgement } from './judgement.ts';
import type { JudgedOrganization } from './organization.ts';
import type { FreezeRecord } from './records.ts';
import type { VoteRecord } from './votes.ts';

/** The freeze that stops a request. */
export interface Suspension {
  /** The id of the frozen organization, user, wallet or private key. */
  readonly id: string;
  readonly freeze: FreezeRecord;
  /** The organization that stores the freeze. */
  readonly organization: JudgedOrganization;
}

export const FREEZE = 'freeze';
const UNFREEZE = 'unfreeze';

/** Whether an activity freezes or unfreezes. No freeze stops these. */
export function isFreezeActivity({ name }: { readonly name: string }): boolean {
  return name === FREEZE || name === UNFREEZE;
}

/**
 * Activities that a frozen organization still executes, if its full root quorum approves them. They only remove ways to act, so a stolen
 * credential can be removed before the organization is unfrozen.
 */
const removals: readonly string[] = ['deleteApiKeys', 'deleteAuthenticators', 'deleteOauthProviders', 'endSessions'];

/** The part of a request that freezes depend on. */
type Suspendable = Pick<Judgement, 'organization' | 'target' | 'definition' | 'subject' | 'params'> & {
  /** The submitter's vote first. */
  readonly votes: readonly Pick<VoteRecord, 'userId'>[];
};

/**
 * The freeze that stops a request, if any.
 * INVARIANT: while something is frozen, requests of a frozen user, requests in a frozen organization or by its users, and requests that
 * name or use a frozen wallet or private key are denied, also with all approvals. The exceptions are unfreeze, freeze, and removals of
 * credentials by the root quorum.
 */
export function suspensionOf(judgement: Suspendable): Suspension | undefined {
  const { organization, target, definition, votes } = judgement;
  if (organization.records.freeze.size === 0 && target.records.freeze.size === 0) return undefined;
  if (definition.name === UNFREEZE || (definition.name === FREEZE && isRootQuorumFreeze(judgement))) return undefined;
  const submitter = freezeIn(organization, votes[0]?.userId);
  if (submitter !== undefined || definition.name === FREEZE) return submitter;
  if (!removals.includes(definition.name)) {
    const whole = freezeIn(organization, organization.id) ?? freezeIn(target, target.id);
    if (whole !== undefined) return whole;
  }
  return frozenResource(judgement);
}

/** The decision on a request that a freeze stops. Undefined if none does. */
export function decideByFreeze(judgement: Suspendable): Denial | undefined {
  if (suspensionOf(judgement) === undefined) return undefined;
  return { outcome: 'DENY', by: 'FROZEN', policyIds: [], evaluations: [] };
}

/** Whether a user is frozen. */
export function isFrozenUser({ records: { freeze } }: JudgedOrganization, userId: string | undefined): boolean {
  return freeze.size > 0 && userId !== undefined && freeze.has(userId);
}

type Counting = Pick<Suspendable, 'organization' | 'definition' | 'votes'>;

/**
 * Whether the approvals of frozen users count. They count for unfreeze, and for a freeze that a frozen member of the root quorum submits,
 * which only the full root quorum can approve.
 * SECURITY: otherwise one stolen key could freeze all other members of the root quorum, and freeze them again after every unfreeze, because
 * they could never freeze the holder of that key.
 */
export function countsFrozenUsers({ organization, definition, votes }: Counting): boolean {
  if (definition.name === UNFREEZE) return true;
  return definition.name === FREEZE && isFrozenUser(organization, votes[0]?.userId);
}

function isRootQuorumFreeze(judgement: Counting): boolean {
  const { profile } = judgement.organization;
  return countsFrozenUsers(judgement) && profile.rootQuorum.userIds.includes(judgement.votes[0]?.userId ?? '');
}

/** Whether one factor of one user is enough: a freeze must not wait for a second one. */
export function needsOneFactor(approvable: Approvable): boolean {
  return approvable.definition.name === FREEZE && !countsFrozenUsers(approvable);
}

/** Why only the root quorum may make a request, because of a freeze. Undefined if there is no such reason. */
export function reservedByFreeze(judgement: Judgement): string | undefined {
  const { organization, definition } = judgement;
  if (organization.records.freeze.size === 0) return undefined;
  if (definition.name === FREEZE && countsFrozenUsers(judgement)) return 'its submitter is frozen';
  const isRemoval = removals.includes(definition.name) && organization.records.freeze.has(organization.id);
  return isRemoval ? 'the organization is frozen' : undefined;
}

function freezeIn(organization: JudgedOrganization, id: string | undefined): Suspension | undefined {
  const freeze = id === undefined ? undefined : organization.records.freeze.get(id);
  return freeze && id !== undefined ? { id, freeze, organization } : undefined;
}

/**
 * The frozen wallet or private key that a request uses or names.
 * SECURITY: an executor may omit a key from its subject, so the ids in the parameters count too, under all names.
 */
function frozenResource({ target, subject: { key, wallet, wallets = [] }, params }: Suspendable): Suspension | undefined {
  const used = [
    key?.id,
    key?.kind === 'walletAccount' ? key.body.walletId : undefined,
    wallet?.id,
    ...wallets.map(({ id }) => id),
    ...textsIn(params),
  ];
  for (const id of used) {
    const found = freezeIn(target, id);
    if (found !== undefined && isResource(found.freeze)) return found;
  }
  return undefined;
}

function isResource({ target }: FreezeRecord): boolean {
  return target === 'WALLET' || target === 'PRIVATE_KEY';
}

/** The texts among the parameters, and in their lists. */
function textsIn(params: unknown): readonly string[] {
  if (params === null || typeof params !== 'object') return [];
  return Object.values(params)
    .flat()
    .filter((value): value is string => typeof value === 'string');
}

const words: Readonly<Record<FreezeRecord['target'], string>> = {
  ORGANIZATION: 'the organization',
  USER: 'user',
  WALLET: 'wallet',
  PRIVATE_KEY: 'private key',
};

/** What a freeze suspends, as words. */
export function frozenWords(id: string, { target }: FreezeRecord): string {
  return target === 'ORGANIZATION' ? words.ORGANIZATION : `${words[target]} ${id}`;
}

/** Who froze it, when and why, as a sentence for members of its organization. */
export function freezeSentence({ id, freeze, organization }: Suspension): string {
  const { frozenBy, createdAtMs, reason } = freeze;
  const name = organization.users.get(frozenBy)?.userName;
  const who = name === undefined ? `user ${frozenBy}` : `"${name}" (user ${frozenBy})`;
  return `${frozenWords(id, freeze)} is frozen since ${new Date(createdAtMs).toISOString()} by ${who}: "${reason}"`;
}
