import { type Curve, chains } from '@countersign/chains';
import { memoizeByRef } from '@countersign/collections';
import { activities, activityKind } from '@countersign/contract';
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

/**
 * Why a raw signing request is denied unless the root quorum approves it: what its payload is, as the end of a sentence. Undefined if it
 * shows what is signed, or if the organization lets the key sign anything.
 */
export function hiddenContent(judgement: Judgement): string | undefined {
  const hidden = rawContentOf(judgement)?.hidden;
  const { key, wallet } = judgement.subject;
  if (hidden === undefined || key === undefined) return undefined;
  const setting = settingFor(hashSwitchOf(judgement.target), key);
  return setting === 'all' || (setting === 'covered' && isCovered(judgement.organization, key, wallet)) ? hidden : undefined;
}

/** Results of one policy set. A result holds until the wallet changes. */
const coveredKeys = memoizeByRef(
  (_: PolicySet) => new WeakMap<JudgedKey, { readonly wallet: JudgedWallet | undefined; readonly covered: boolean }>(),
);

/**
 * Whether a rule on what is signed covers a key.
 * INVARIANT: true if a DENY reads what a transaction or typed message of this key contains, or if any policy reads a limit on transfers, and
 * the condition could be true for such a request of this key, according to the parts that only read the activity, the key and its wallet.
 */
function isCovered(organization: JudgedOrganization, key: JudgedKey, wallet: JudgedWallet | undefined): boolean {
  const set = policySetOf(organization);
  const known = coveredKeys(set).get(key);
  if (known !== undefined && known.wallet === wallet) return known.covered;
  const values = signingsOf(keyNamespaces(key, wallet));
  const rules = rulesOnContent(organization, set);
  const covered = rules.some((policy) => values.some((each) => concerns(policy, each, key.body.curve)));
  coveredKeys(set).set(key, { wallet, covered });
  return covered;
}

const rulesOf = new WeakMap<PolicySet, readonly CompiledPolicy[]>();

/** The policies of an organization that are rules on what is signed. */
function rulesOnContent(organization: JudgedOrganization, set: PolicySet): readonly CompiledPolicy[] {
  const { velocityControl } = organization.records;
  const isTransferLimit = (name: string) => {
    const control = velocityControl.get(controlByIdentifier(velocityControl, name) ?? '');
    return control !== undefined && modelOf(control).assets !== undefined;
  };
  const rules = rulesOf.get(set) ?? set.policies.filter((policy) => isRuleOnContent(policy, isTransferLimit));
  rulesOf.set(set, rules);
  return rules;
}

/** The ids of the policies that a hash of a forbidden transaction avoids, because the organization has not turned hashes off. */
export function rulesThatHashesAvoid(organization: JudgedOrganization): readonly string[] {
  if (hashSwitchOf(organization).keys !== 'none') return [];
  return rulesOnContent(organization, policySetOf(organization)).map(({ id }) => id);
}

/** Whether a policy is a DENY on what is signed, or rests on a limit on transfers. */
function isRuleOnContent({ effect, condition }: CompiledPolicy, isTransferLimit: (name: string) => boolean): boolean {
  return (condition?.uses ?? []).some(({ namespace: { path, transaction, groups } }) => {
    const name = controlOf(path);
    if (name !== undefined) return isTransferLimit(name);
    return effect === 'EFFECT_DENY' && (transaction === true || groups?.includes('signed') === true);
  });
}

/** Whether one of some policies covers a key, for policies without an organization: every limit may be one on transfers. */
export function coversAny(
  policies: readonly CompiledPolicy[],
  holder: Readonly<Record<string, PolicyValue>>,
  curve: Curve,
): boolean {
  const values = signingsOf(holder);
  return policies.some((policy) => isRuleOnContent(policy, () => true) && values.some((each) => concerns(policy, each, curve)));
}

/** What is known of every request that shows what a key signs. `holder`: the namespaces of the key and its wallet. */
function signingsOf(holder: Readonly<Record<string, PolicyValue>>): readonly KnownValues[] {
  const { signTransaction, signRawPayload } = activities;
  return [signTransaction, signRawPayload].map(
    ({ type, policy: { resource, action } }) =>
      new Map(
        Object.entries({
          'activity.type': type,
          'activity.kind': activityKind(type),
          'activity.resource': resource,
          'activity.action': action,
          ...holder,
        }),
      ),
  );
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
