import type { Steps } from '@countersign/collections';
import { type CompiledPolicy, type StepBudget, timeStatus } from '@countersign/policy';
import { policySetOf } from '../compiled-policies.ts';
import type { Usage } from '../controls/usage.ts';
import type { Judgement } from '../judgement.ts';
import type { JudgedOrganization } from '../organization.ts';
import { CURRENT_RULES } from '../rules.ts';
import { type Approving, approvalsOf, type Group, groupsFor, peopleNamedBy } from './approvers.ts';
import { type Holder, type HostileChain, imaginedPrivateKeys, imaginedWallet } from './imagined-keys.ts';
import type { Filling, Instance } from './instantiate.ts';
import { type Receiver, receiversOn, withImaginedContacts } from './receivers.ts';
import { joinedSeeds, type Seeds, seedsOf } from './seeds.ts';

/** Where the hostile requests of one policy are tried: people, keys and contacts for which its condition could hold. */
export interface Scene {
  readonly policy: CompiledPolicy;
  readonly seeds: Seeds;
  readonly organization: JudgedOrganization;
  /** Approvers who satisfy its consensus, the fewest first. Empty if none were found. */
  readonly groups: readonly { readonly group: Group; readonly approving: Approving }[];
  readonly holders: readonly Holder[];
  /** Receivers on a chain, the worst first. One that no request names without a chain. */
  readonly receivers: (chain?: HostileChain) => readonly Receiver[];
  readonly names: Filling['names'];
  readonly nowMs: number;
  /** Requests that are allowed here too are not reported. */
  readonly unless?: JudgedOrganization;
}

/** Parts of a scene that exist, in place of imagined ones. */
export interface Things {
  readonly holders?: readonly Holder[];
  readonly names?: Readonly<Record<string, string>>;
  /** A policy whose condition should hold too. */
  readonly beside?: CompiledPolicy;
  /** Whether to try a wallet about which no policy says anything, too. */
  readonly withPlainHolder?: boolean;
}

const HOUR_MS = 3_600_000;
/** Hours in which a policy with a time is tried. */
const MAX_HOURS = 35 * 24;
const TARGET = 'imagined-target';

/**
 * The scene of a policy of an organization. The organization keeps its policies, limits, tokens and interfaces, and has imagined people,
 * because the statement is about the policy: it must not depend on who works there today. A freeze does not count either.
 */
export function* sceneOf(
  organization: JudgedOrganization,
  policy: CompiledPolicy,
  startMs: number,
  budget: StepBudget,
  things: Things = {},
): Steps<Scene> {
  const own = seedsOf(policy);
  const seeds = things.beside === undefined ? own : joinedSeeds(seedsOf(things.beside), own);
  const nowMs = yield* activeTime(policy, startMs, budget);
  const found = yield* groupsFor(policy, peopleNamedBy(seeds, organization), budget);
  const groups = found.map((group) => ({ group, approving: approvalsOf(group, nowMs) }));
  const contact = withImaginedContacts(organization, seeds);
  const { rootQuorum, features } = organization.profile;
  const imagined = { ...organization, records: { ...organization.records, contact, freeze: new Map() } };
  const known = new Map<HostileChain | undefined, readonly Receiver[]>([[undefined, [{ kind: 'ANYONE', hex: '' }]]]);
  const receivers = (chain?: HostileChain) => {
    const found = known.get(chain) ?? (chain === undefined ? [] : receiversOn(chain, imagined, seeds));
    known.set(chain, found);
    return found;
  };
  const rootUsers = rootQuorum.userIds.length > 0 ? rootQuorum.userIds : ['imagined-root'];
  return {
    policy,
    seeds,
    nowMs,
    groups,
    holders: things.holders ?? allHolders(seeds, own, things.withPlainHolder === true),
    receivers,
    // The root quorum may do everything, so it is never met here.
    organization: { ...imagined, profile: { features, rootQuorum: { threshold: rootUsers.length + 1, userIds: rootUsers } } },
    names: { ...namesOf(organization, policy, seeds), root: rootUsers[0] as string, ...things.names },
  };
}

/** A time at which the policy holds, the current one if possible. */
function* activeTime(policy: CompiledPolicy, startMs: number, budget: StepBudget): Steps<number> {
  if (policy.time === undefined) return startMs;
  for (let hour = 0; hour < MAX_HOURS; hour++) {
    const atMs = startMs + hour * HOUR_MS;
    if (!budget.spend(policy.time.cost)) return startMs;
    if (timeStatus(policy, atMs).active) return atMs;
    if (budget.isSliceOver) yield undefined;
  }
  return startMs;
}

/** Wallets and private keys for which both conditions could hold, or that of the policy, or about which they say nothing. */
function allHolders(seeds: Seeds, own: Seeds, withPlain: boolean): readonly Holder[] {
  const holders = [
    ...holdersOf(seeds),
    ...(seeds === own ? [] : holdersOf(own)),
    ...(withPlain ? [imaginedWallet('imagined-wallet', 'imagined')] : []),
  ];
  return [...new Map(holders.map((holder) => [JSON.stringify([holder.wallet, holder.home, holder.keys]), holder])).values()];
}

/** Wallets and private keys for which the condition could hold. */
function holdersOf({ condition, reads }: Seeds): readonly Holder[] {
  const ids = condition('wallet.id');
  const labels = [...condition('wallet.label'), 'imagined'];
  const [address] = condition('wallet_account.address');
  const wallets = (ids.length > 0 ? ids : ['imagined-wallet']).map((id) => imaginedWallet(id, labels[0] as string, address));
  if (!reads('private_key')) return wallets;
  const [id = 'imagined-key'] = condition('private_key.id');
  const [label = 'imagined'] = condition('private_key.label');
  return [imaginedPrivateKeys(id, label, condition('private_key.tags')), ...wallets];
}

/** Whom and what administrative requests are about. */
function namesOf(organization: JudgedOrganization, policy: CompiledPolicy, seeds: Seeds): Filling['names'] {
  const trusted = trustedNames(organization, seeds);
  return {
    policy: policy.id,
    user: TARGET,
    secret: seeds.condition('Secret.id')[0] ?? 'imagined-secret',
    'secret name': seeds.condition('Secret.label')[0] ?? 'imagined',
    'property key': seeds.condition('SecretProperty.key')[0] ?? 'imagined',
    'property value': seeds.condition('SecretProperty.value')[0] ?? 'imagined',
    'user name': 'imagined',
    ...trusted,
    'new key': '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296',
    'target key': `04${'6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296'}4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5`,
  };
}

/** Policies that are searched for something that policies trust. */
const MAX_SEARCHED = 50;

/** A tag and names that policies trust. Those of the condition come first, because it may allow to hand out exactly these. */
function trustedNames(organization: JudgedOrganization, seeds: Seeds) {
  const own = seeds.condition('activity.params.user_tag_ids')[0] ?? seeds.condition('activity.added')[0];
  const all = [seeds, ...policySetOf(organization).first(MAX_SEARCHED).map(seedsOf)];
  const first = (texts: (each: Seeds) => readonly string[]) => all.flatMap(texts)[0];
  return {
    tag: own ?? first(({ consensus }) => consensus('User.tags')),
    alias: first(({ consensus }) => consensus('User.alias')),
    label: first(({ condition }) => condition('wallet.label')),
  };
}

/** Nothing was spent under any limit yet. */
class NothingUsed extends Map<string, Usage> {
  override get(bucket: string): Usage {
    return { control: '', bucket, used: 0n, revision: 0 };
  }
}

/** The judgement of a request that a group approved. */
export function judge(
  scene: Scene,
  { users, apiKeys, authenticators, votes }: Approving,
  request: Instance,
  rules = CURRENT_RULES,
): Judgement {
  const { organization, nowMs } = scene;
  const people = new Map(users);
  for (const id of [TARGET, ...organization.profile.rootQuorum.userIds])
    if (!people.has(id)) people.set(id, { userName: 'imagined', userTags: [], createdAtMs: 0, updatedAtMs: 0 });
  const judged = { ...organization, users: people, apiKeys, authenticators, apiKeyByPublicKey: new Map() };
  const { definition, type, params, subject } = request;
  const usage = new NothingUsed();
  return {
    organization: judged,
    target: judged,
    votes,
    definition,
    type,
    params,
    subject,
    nowMs,
    usage,
    rules,
    mfaAssumed: true,
  };
}
