import { normalizeEthereumAddress } from '@countersign/chains';
import type { DecisionRequest, PolicyValue } from '@countersign/policy';
import type { Resource } from '../organizations/records.ts';
import { activityParams } from './activity-params.ts';
import type { Judgement } from './judgement.ts';
import { liveApprovals, peopleOf } from './people.ts';
import { activityKind } from './policy-options.ts';
import type { PolicySubject } from './subject.ts';

/** Users may change their own credentials and sign in as themselves, unless a policy denies it. */
const SELF_SERVICE: readonly string[] = ['CREDENTIAL', 'AUTH'];

/** A judgement in the terms of the policy language. */
export function toDecisionRequest(judgement: Judgement): DecisionRequest {
  const { organization, votes, definition, type, params, subject, nowMs } = judgement;
  const approvals = liveApprovals(organization, votes, nowMs);
  const { rootQuorumOnly, policy } = definition;
  const kind = activityKind(type);
  const submitterId = votes[0]?.userId;
  // SECURITY: somebody else's approval does not make the request that user's own, not even once the submitter's has expired.
  const submitted = approvals.some(({ user }) => user.id === submitterId);
  return {
    approvers: approvals.map(({ user }) => user),
    credentials: approvals.map(({ credential }) => credential),
    activity: rootQuorumOnly ? { type } : { type, kind, ...policy, params: activityParams(kind, params) },
    namespaces: namespacesOf(subject),
    now: nowMs,
    rootQuorum: organization.profile.rootQuorum,
    organizationUsers: peopleOf(organization).users,
    rootQuorumOnly,
    selfService: SELF_SERVICE.includes(policy.resource) && submitted && subject.credentialsOf === submitterId,
  };
}

function namespacesOf({ key, wallet, wallets, parsed }: PolicySubject): Record<string, PolicyValue> {
  const namespaces: Record<string, PolicyValue> = {};
  if (key?.kind === 'privateKey') namespaces.private_key = privateKeyView(key);
  if (key?.kind === 'walletAccount') namespaces.wallet_account = { address: policyAddress(key.body) };
  if (wallet !== undefined) namespaces.wallet = walletView(wallet);
  if (wallets !== undefined) namespaces.wallets = wallets.map(walletView);
  if (parsed !== undefined) {
    namespaces[parsed.namespace] = parsed.policy;
    if (parsed.namespace.endsWith('.tx')) namespaces.tx = { fully_parsed: parsed.fullyParsed };
  }
  return namespaces;
}

/** An address in the form that policies compare: on Ethereum that of `eth.tx`, elsewhere the one canonical text. */
function policyAddress({ addressFormat, address }: Resource<'walletAccount'>['body']): string {
  return addressFormat === 'ADDRESS_FORMAT_ETHEREUM' ? normalizeEthereumAddress(address) : address;
}

function walletView({ id, body: { imported, exported, walletName } }: Resource<'wallet'>): PolicyValue {
  return { id, imported, exported, label: walletName };
}

function privateKeyView({
  id,
  body: { privateKeyTags, imported, exported, privateKeyName },
}: Resource<'privateKey'>): PolicyValue {
  return { id, tags: privateKeyTags, imported, exported, label: privateKeyName };
}
