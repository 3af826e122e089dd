import { type Curve, chains } from '@countersign/chains';
import { memoizeByRef } from '@countersign/collections';
import { type ActivityDefinition, activities, activityKind } from '@countersign/contract';
import {
  type CompiledPolicy,
  controlOf,
  couldConcern,
  type KnownValues,
  type PolicySet,
  type PolicyValue,
} from '@countersign/policy';
import { policySetOf } from './compiled-policies.ts';
import { controlByIdentifier } from './controls/control-identifiers.ts';
import { modelOf } from './controls/model.ts';
import { hashSwitchOf, settingFor } from './hash-switch.ts';
import type { Judgement } from './judgement.ts';
import { keyNamespaces } from './key-namespaces.ts';
import type { JudgedKey, JudgedOrganization, JudgedWallet } from './organization.ts';
import { rawContentOf } from './raw-content.ts';
import { rulesOf } from './rules.ts';

/**
 * Why a raw signing request is denied unless the root quorum approves it: what its payload is, as the end of a sentence. Undefined if it
 * shows what is signed, or if the organization lets the key sign anything.
 */
export function hiddenContent(judgement: Judgement): string | undefined {
  const hidden = rawContentOf(judgement)?.hidden;
  const { key, wallet } = judgement.subject;
  if (hidden === undefined || key === undefined) return undefined;
  const setting = settingFor(hashSwitchOf(judgement.target), key);
  if (setting === 'all') return hidden;
  const { kindsCoverKeys } = rulesOf(judgement);
  return setting === 'covered' && isCovered(judgement.organization, key, wallet, kindsCoverKeys) ? hidden : undefined;
}

/** Results of one policy set. A result holds until the wallet changes. */
interface Covered {
  readonly wallet: JudgedWallet | undefined;
  readonly byKinds: boolean;
  readonly covered: boolean;
}

const coveredKeys = memoizeByRef((_: PolicySet) => new WeakMap<JudgedKey, Covered>());

/**
 * Whether a rule on what is signed covers a key.
 * INVARIANT: true if a DENY reads what a transaction or typed message of this key contains, if a DENY applies to its transactions and not to
 * raw payloads, or if any policy reads a limit on transfers, and the condition could be true for such a request of this key, according to the
 * parts that only read the activity, the key and its wallet. Earlier rules did not count a DENY of transactions as such.
 */
function isCovered(
  organization: JudgedOrganization,
  key: JudgedKey,
  wallet: JudgedWallet | undefined,
  byKinds: boolean,
): boolean {
  const set = policySetOf(organization);
  const known = coveredKeys(set).get(key);
  if (known !== undefined && known.wallet === wallet && known.byKinds === byKinds) return known.covered;
  const { onContent, onKinds } = rulesIn(organization, set);
  const policies = byKinds ? [...onContent, ...onKinds] : onContent;
  const covered = coversKey(policies, signingsOf(keyNamespaces(key, wallet)), key.body.curve, new Set(onContent));
  coveredKeys(set).set(key, { wallet, byKinds, covered });
  return covered;
}

interface SigningRules {
  /** DENY policies on what is signed, and policies that rest on a limit on transfers. */
  readonly onContent: readonly CompiledPolicy[];
  /** Other DENY policies that read which activity it is. */
  readonly onKinds: readonly CompiledPolicy[];
}

const rulesOfSet = new WeakMap<PolicySet, SigningRules>();

function rulesIn(organization: JudgedOrganization, set: PolicySet): SigningRules {
  const { velocityControl } = organization.records;
  const isTransferLimit = (name: string) => {
    const control = velocityControl.get(controlByIdentifier(velocityControl, name) ?? '');
    return control !== undefined && modelOf(control).assets !== undefined;
  };
  const rules = rulesOfSet.get(set) ?? signingRules(set.policies, isTransferLimit);
  rulesOfSet.set(set, rules);
  return rules;
}

function signingRules(policies: readonly CompiledPolicy[], isTransferLimit: (name: string) => boolean): SigningRules {
  const onContent = policies.filter((policy) => isRuleOnContent(policy, isTransferLimit));
  const isContent = new Set(onContent);
  return { onContent, onKinds: policies.filter((policy) => !isContent.has(policy) && isRuleOnKinds(policy)) };
}

/** Whether one of some policies covers a key. Those that are not `onContent` must tell its transactions from its raw payloads. */
function coversKey(
  policies: readonly CompiledPolicy[],
  { transaction, raw }: Signings,
  curve: Curve,
  onContent: ReadonlySet<CompiledPolicy>,
): boolean {
  return policies.some((policy) => {
    const concernsRaw = concerns(policy, raw, curve);
    if (onContent.has(policy)) return concernsRaw || concerns(policy, transaction, curve);
    return (!concernsRaw || usesAny(policy, ofTransactions)) && concerns(policy, transaction, curve);
  });
}

/** The ids of the policies that a hash of a forbidden transaction avoids, because the organization has not turned hashes off. */
export function rulesThatHashesAvoid(organization: JudgedOrganization): readonly string[] {
  if (hashSwitchOf(organization).keys !== 'none') return [];
  const { onContent, onKinds } = rulesIn(organization, policySetOf(organization));
  const { transaction, raw } = signingsOf({});
  const isSeparate = (policy: CompiledPolicy) => !couldConcern(policy, raw) || usesAny(policy, ofTransactions);
  const separate = onKinds.filter((policy) => isSeparate(policy) && couldConcern(policy, transaction));
  return [...onContent, ...separate].map(({ id }) => id);
}

/** Whether a policy is a DENY on what is signed, or rests on a limit on transfers. */
function isRuleOnContent({ effect, condition }: CompiledPolicy, isTransferLimit: (name: string) => boolean): boolean {
  return (condition?.uses ?? []).some(({ namespace: { path, transaction, groups } }) => {
    const name = controlOf(path);
    if (name !== undefined) return isTransferLimit(name);
    return effect === 'EFFECT_DENY' && (transaction === true || groups?.includes('signed') === true);
  });
}

/** Whether a policy is a DENY that reads which activity it is, or a parameter that only transactions have. */
function isRuleOnKinds(policy: CompiledPolicy): boolean {
  return policy.effect === 'EFFECT_DENY' && (usesAny(policy, kinds) || usesAny(policy, ofTransactions));
}

const kinds = ['activity.type', 'activity.kind'];
const ofTransactions = ['activity.params.type', 'activity.params.unsigned_transaction'];

function usesAny({ condition }: CompiledPolicy, paths: readonly string[]): boolean {
  return condition?.uses.some(({ namespace: { path } }) => paths.includes(path)) === true;
}

/** Whether one of some policies covers a key, for policies without an organization: every limit may be one on transfers. */
export function coversAny(
  policies: readonly CompiledPolicy[],
  holder: Readonly<Record<string, PolicyValue>>,
  curve: Curve,
): boolean {
  const { onContent, onKinds } = signingRules(policies, () => true);
  return coversKey([...onContent, ...onKinds], signingsOf(holder), curve, new Set(onContent));
}

/** What is known of requests of a key: one that signs a transaction, and one that signs a raw payload. */
interface Signings {
  readonly transaction: KnownValues;
  readonly raw: KnownValues;
}

/** What is known of every request that shows what a key signs. `holder`: the namespaces of the key and its wallet. */
function signingsOf(holder: Readonly<Record<string, PolicyValue>>): Signings {
  const known = ({ type, policy: { resource, action } }: ActivityDefinition): KnownValues =>
    new Map(
      Object.entries({
        'activity.type': type,
        'activity.kind': activityKind(type),
        'activity.resource': resource,
        'activity.action': action,
        ...holder,
      }),
    );
  return { transaction: known(activities.signTransaction), raw: known(activities.signRawPayload) };
}

const holders: readonly string[] = ['wallet', 'wallet_account', 'private_key'];
/** The namespace of each chain without its last part, such as `eth`, and the curve of its keys. */
const curves: ReadonlyMap<string, string> = new Map(
  Object.values(chains).map(({ namespace, transaction }) => [namespace.slice(0, namespace.indexOf('.')), transaction.curve]),
);

function concerns(policy: CompiledPolicy, known: KnownValues, ofKey: Curve): boolean {
  const isOther = ({ path }: { readonly path: string }) => {
    if (holders.includes(path)) return !known.has(path);
    const curve = curves.get(path.slice(0, path.indexOf('.')));
    return curve !== undefined && curve !== ofKey;
  };
  return !policy.condition?.uses.some(({ namespace }) => isOther(namespace)) && couldConcern(policy, known);
}
