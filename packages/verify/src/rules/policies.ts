import { canonicalAddress } from '@countersign/chains';
import {
  byCurrentRules,
  type ControlDefinition,
  ControlProblem,
  type PolicyRecord,
  policyOptions,
  raised,
  reset,
  spellDefinition,
  updated,
  type VelocityControlRecord,
} from '@countersign/judgement';
import { selectorsToPolicy } from '@countersign/policy';
import { sameJson } from '../text.ts';
import { type Change, has, hasChangedOnly, hasEnded, isNew, type Rules } from './rule.ts';

interface PolicyParams {
  readonly policyName: string;
  readonly effect: PolicyRecord['effect'];
  readonly condition?: string | undefined;
  readonly consensus?: string | undefined;
  readonly time?: string | undefined;
  readonly notes?: string | undefined;
  readonly selectors?: Parameters<typeof selectorsToPolicy>[0] | undefined;
}

const orAbsent = (text: string | undefined) => (text === '' ? undefined : text);

/** Whether a policy says what its parameters say. */
function isPolicy(record: PolicyRecord, params: PolicyParams): boolean {
  const { policyName, effect, time, selectors } = params;
  const meant = selectors === undefined ? undefined : selectorsToPolicy(selectors, policyOptions).policy;
  const { condition, consensus } = meant ?? params;
  const language = languageOf(record);
  return has(record, { policyName, effect, condition, consensus: orAbsent(consensus), time: orAbsent(time), language });
}

/** The language of a new condition: 2 in earlier releases, and 3. A later one allows more, so it is not for earlier releases to store. */
function languageOf({ language }: PolicyRecord): 2 | 3 {
  return language === 2 ? 2 : 3;
}

/** The language of an updated policy. Earlier releases kept the language of a policy without a condition. */
function languageAfter(
  before: PolicyRecord,
  params: { readonly policyCondition?: string | undefined; readonly policyConsensus?: string | undefined },
  after: PolicyRecord,
): PolicyRecord['language'] {
  if (params.policyCondition !== undefined) return languageOf(after);
  const isRewritten = before.condition === undefined && Boolean(params.policyConsensus);
  return isRewritten && after.language === 3 ? 3 : before.language;
}

/** Whether two spellings are of one address. */
function isAddress(recorded: string, given: string): boolean {
  return canonicalAddress(recorded) === canonicalAddress(given);
}

/** Whether two spellings are of one token. Only addresses of Ethereum are written in either case. */
function isAsset(recorded: string, given: string): boolean {
  const spelled = (asset: string) => (asset.startsWith('eip155:') ? asset.toLowerCase() : asset);
  return spelled(recorded) === spelled(given);
}

type EndingKind = 'policy' | 'contact' | 'token' | 'smartContractInterface' | 'velocityControl';

/** Whether a record of one of these kinds ended that the parameters name. */
function ended(change: Change, kind: EndingKind, ids: readonly string[]): boolean {
  return hasEnded(change, kind) && ids.includes(change.id);
}

/** Whether a control became what its parameters make of the one before. */
function becomes(
  change: Change,
  id: string,
  make: (before: VelocityControlRecord, nowMs: number) => VelocityControlRecord,
): boolean {
  if (
    !hasChangedOnly(change, 'velocityControl', ['name', 'identifier', 'dataSource', 'aggregation', 'raise', 'epoch', 'rules']) ||
    change.id !== id
  )
    return false;
  try {
    return sameJson(make(change.before, change.after.updatedAtMs), change.after);
  } catch (error) {
    // The parameters make no control of the one before, so they explain none.
    if (error instanceof ControlProblem) return false;
    throw error;
  }
}

/** The definition of a new control: by the current rules, or by the first rules if an earlier release created it. */
function definitionOf(
  { rules }: VelocityControlRecord,
  given: ControlDefinition,
): ControlDefinition & { readonly rules?: 2 | undefined } {
  const isOfFirstRules = rules === undefined && given.dataSource.chainAssetTransfer?.otherAssets === undefined;
  return isOfFirstRules ? { ...given, rules } : byCurrentRules(given);
}

export const policyRules: Rules<
  | 'createPolicy'
  | 'createPolicies'
  | 'updatePolicy'
  | 'deletePolicy'
  | 'deletePolicies'
  | 'createSmartContractInterface'
  | 'deleteSmartContractInterface'
  | 'createContacts'
  | 'updateContact'
  | 'deleteContacts'
  | 'createTokens'
  | 'deleteTokens'
  | 'createVelocityControl'
  | 'updateVelocityControl'
  | 'deleteVelocityControl'
  | 'resetVelocityControl'
  | 'raiseVelocityControl'
> = {
  createPolicy: (change, { params, result }) =>
    isNew(change, 'policy') && change.id === result.policyId && isPolicy(change.after, params),
  createPolicies: (change, { params, result }) =>
    isNew(change, 'policy') &&
    params.policies.some((policy, at) => result.policyIds[at] === change.id && isPolicy(change.after, policy)),
  updatePolicy(change, { params }) {
    const members = ['policyName', 'effect', 'condition', 'consensus', 'time', 'notes', 'language'] as const;
    if (!hasChangedOnly(change, 'policy', members) || change.id !== params.policyId) return false;
    const { before, after } = change;
    return has(after, {
      policyName: params.policyName ?? before.policyName,
      effect: params.policyEffect ?? before.effect,
      condition: params.policyCondition ?? before.condition,
      consensus: params.policyConsensus || before.consensus,
      time: orAbsent(params.time ?? before.time),
      language: languageAfter(before, params, after),
    });
  },
  deletePolicy: (change, { params }) => ended(change, 'policy', [params.policyId]),
  deletePolicies: (change, { params }) => ended(change, 'policy', params.policyIds),
  createSmartContractInterface: (change, { params, result }) =>
    isNew(change, 'smartContractInterface') &&
    change.id === result.smartContractInterfaceId &&
    has(change.after, {
      label: params.label,
      type: params.type,
      smartContractInterface: params.smartContractInterface,
    }) &&
    isAddress(change.after.smartContractAddress, params.smartContractAddress),
  deleteSmartContractInterface: (change, { params }) =>
    ended(change, 'smartContractInterface', [params.smartContractInterfaceId]),
  createContacts: (change, { params, result }) =>
    isNew(change, 'contact') &&
    params.contacts.some(
      ({ label, address, contactTags = [] }, at) =>
        result.contactIds[at] === change.id &&
        has(change.after, { label, contactTags }) &&
        isAddress(change.after.address, address),
    ),
  updateContact: (change, { params: { contactId, label, contactTags } }) =>
    hasChangedOnly(change, 'contact', ['label', 'contactTags', 'notes']) &&
    change.id === contactId &&
    has(change.after, { label: label ?? change.before.label, contactTags: contactTags ?? change.before.contactTags }),
  deleteContacts: (change, { params }) => ended(change, 'contact', params.contactIds),
  createTokens: (change, { params, result }) =>
    isNew(change, 'token') &&
    params.tokens.some(
      ({ asset, symbol, decimals }, at) =>
        result.tokenIds[at] === change.id && has(change.after, { symbol, decimals }) && isAsset(change.after.asset, asset),
    ),
  deleteTokens: (change, { params }) => ended(change, 'token', params.tokenIds),
  createVelocityControl: (change, { params, result }) =>
    isNew(change, 'velocityControl') &&
    change.id === result.velocityControlId &&
    has(change.after, {
      name: params.name,
      identifier: params.identifier,
      ...definitionOf(change.after, spellDefinition(params)),
      epoch: 0,
      raise: undefined,
    }),
  updateVelocityControl: (change, { params: { velocityControlId, ...update } }) =>
    becomes(change, velocityControlId, (before, nowMs) => updated(before, update, nowMs)),
  deleteVelocityControl: (change, { params }) => ended(change, 'velocityControl', [params.velocityControlId]),
  resetVelocityControl: (change, { params }) => becomes(change, params.velocityControlId, reset),
  raiseVelocityControl: (change, { params }) =>
    becomes(change, params.velocityControlId, (before, nowMs) => raised(before, params, nowMs)),
};
