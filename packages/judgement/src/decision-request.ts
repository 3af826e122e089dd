import { accountAddress } from '@countersign/chains';
import { memoizeLast } from '@countersign/collections';
import { activityKind, givenParameters, parameterReader } from '@countersign/contract';
import { type DecisionRequest, type HostValue, type PolicyValue, signings } from '@countersign/policy';
import { authorityOf } from './authority.ts';
import { contactsOf } from './contacts.ts';
import { controlReader } from './controls/reader.ts';
import type { Judgement } from './judgement.ts';
import { spelling } from './normalizers.ts';
import type { JudgedPrivateKey, JudgedWallet } from './organization.ts';
import { liveApprovals, peopleOf } from './people.ts';
import { noPayment, signedNamespaces } from './signed-namespaces.ts';
import { isTrustTouch, type PolicySubject, type TrustTouch } from './subject.ts';

/** Converts a judgement to a request of the policy language. Memoized: the decision and its explanation both need it. */
export const toDecisionRequest = memoizeLast((judgement: Judgement): DecisionRequest => {
  const { organization, definition, type, subject, nowMs } = judgement;
  const approvals = liveApprovals(judgement);
  const { selfService, reserved, rootUser } = authorityOf(judgement);
  const rootQuorumOnly = definition.rootQuorumOnly || reserved !== undefined;
  const namespaces: Record<string, HostValue> = signings.has(activityKind(type)) ? { ...noPayment } : {};
  Object.assign(namespaces, namespacesOf(subject));
  namespaces.contacts = () => contactsOf(organization);
  const request: { -readonly [K in keyof DecisionRequest]: DecisionRequest[K] } = {
    approvers: approvals.map(({ user }) => user),
    credentials: approvals.map(({ credential }) => credential),
    requesterId: judgement.votes[0]?.userId,
    activity: rootQuorumOnly ? { type } : activityOf(judgement),
    namespaces,
    now: nowMs,
    rootQuorum: organization.profile.rootQuorum,
    organizationUsers: peopleOf(organization).users,
    rootQuorumOnly,
    selfService,
  };
  if (rootUser === true) request.rootUserSuffices = true;
  if (organization.records.velocityControl.size > 0) request.controls = controlReader(judgement);
  return request;
});

/** The activity. Its parameters are read when a policy needs them. Parameters that the executor resolved replace the submitted ones. */
function activityOf({ definition, type, params, subject }: Judgement): DecisionRequest['activity'] {
  const { resource, action } = definition.policy;
  const sent = params as Readonly<Record<string, unknown>>;
  const read = parameterReader(definition, { sent, understood: subject.parameters }, spelling);
  return {
    type,
    kind: activityKind(type),
    resource,
    action,
    params: read,
    given: () => givenParameters(definition, sent),
    added: () => attributesOf(subject, false),
    removed: () => attributesOf(subject, true),
  };
}

function namespacesOf({ key, wallet, wallets, parsed }: PolicySubject): Record<string, HostValue> {
  const namespaces: Record<string, HostValue> = {};
  const account = key?.kind === 'walletAccount' ? accountAddress(key.body) : undefined;
  if (key?.kind === 'privateKey') namespaces.private_key = privateKeyView(key);
  if (account !== undefined) namespaces.wallet_account = { address: account };
  if (wallet !== undefined) namespaces.wallet = walletView(wallet);
  if (wallets !== undefined) namespaces.wallets = wallets.map(walletView);
  return parsed === undefined ? namespaces : Object.assign(namespaces, signedNamespaces(parsed, account));
}

function walletView({ id, body: { imported, exported, walletName } }: JudgedWallet): PolicyValue {
  return { id, imported, exported, label: walletName };
}

function privateKeyView({ id, body: { privateKeyTags, imported, exported, privateKeyName } }: JudgedPrivateKey): PolicyValue {
  return { id, tags: privateKeyTags, imported, exported, label: privateKeyName };
}

/** The attributes that an activity gives to users, keys and wallets, or takes from them. */
function attributesOf({ touches = [] }: PolicySubject, lost: boolean): readonly string[] {
  const some = touches.filter(isTrustTouch).filter((touch) => (touch.lost === true) === lost);
  return [...new Set(some.flatMap(valuesOf))];
}

function valuesOf(touch: TrustTouch): readonly string[] {
  switch (touch.what) {
    case 'TAGS':
    case 'KEY_TAGS':
      return touch.tagIds;
    case 'NAME':
      return [touch.userName];
    case 'EMAIL':
      return [touch.userEmail];
    case 'WALLET_NAME':
      return [touch.walletName];
    case 'ACCOUNT_ADDRESS':
      return [];
  }
}
