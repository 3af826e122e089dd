import { normalizeEthereumAddress } from '@countersign/chains';
import type { DecisionRequest, PolicyValue } from '@countersign/policy';
import type { Resource } from '../organizations/records.ts';
import { activityParams } from './activity-params.ts';
import { authorityOf } from './authority.ts';
import type { Judgement } from './judgement.ts';
import { liveApprovals, peopleOf } from './people.ts';
import { activityKind } from './policy-options.ts';
import type { PolicySubject } from './subject.ts';

/** A judgement in the terms of the policy language. */
export function toDecisionRequest(judgement: Judgement): DecisionRequest {
  const { organization, definition, type, params, subject, nowMs } = judgement;
  const approvals = liveApprovals(judgement);
  const { policy } = definition;
  const { selfService, reserved } = authorityOf(judgement);
  const rootQuorumOnly = definition.rootQuorumOnly || reserved !== undefined;
  const kind = activityKind(type);
  return {
    approvers: approvals.map(({ user }) => user),
    credentials: approvals.map(({ credential }) => credential),
    activity: rootQuorumOnly ? { type } : { type, kind, ...policy, params: activityParams(kind, params) },
    namespaces: namespacesOf(subject),
    now: nowMs,
    rootQuorum: organization.profile.rootQuorum,
    organizationUsers: peopleOf(organization).users,
    rootQuorumOnly,
    selfService,
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
