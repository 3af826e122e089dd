import { accountAddress } from '@countersign/chains';
import { memoizeLast } from '@countersign/collections';
import { activityKind, givenParameters, parameterReader } from '@countersign/contract';
import { type DecisionRequest, type HostValue, signings } from '@countersign/policy';
import { authorityOf } from './authority.ts';
import { contactsOf } from './contacts.ts';
import { controlReader } from './controls/reader.ts';
import { hiddenContent } from './hidden-content.ts';
import type { Judgement } from './judgement.ts';
import { keyNamespaces, secretView, walletView } from './key-namespaces.ts';
import { spelling } from './normalizers.ts';
import { liveApprovals, peopleOf } from './people.ts';
import { rawContentOf, withoutReadings } from './raw-content.ts';
import { noPayment, signedNamespaces } from './signed-namespaces.ts';
import { isTrustTouch, type PolicySubject, type Reading, type TrustTouch } from './subject.ts';

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
  const raw = rawContentOf(judgement);
  if (organization.records.velocityControl.size > 0)
    request.controls = controlReader(raw ? withoutReadings(judgement) : judgement);
  if (raw === undefined) return request;
  if (raw.readings.length > 0) request.toDenials = denialsSee(request, judgement, raw.readings);
  if (hiddenContent(judgement) !== undefined) request.denied = 'HIDDEN_CONTENT';
  return request;
});

/**
 * What DENYs see of a raw signing request: the request with the amounts that its payloads move, and for each payload that can be read the
 * request that shows it.
 * INVARIANT: D470: for each request that has a signature of this one and shows what is signed, a DENY that denies it denies this one.
 */
function denialsSee(request: DecisionRequest, judgement: Judgement, readings: readonly Reading[]): readonly DecisionRequest[] {
  const controls = request.controls && { controls: controlReader(judgement) };
  const itself = { ...request, ...controls };
  return [
    itself,
    ...readings.map(({ definition, params, parsed }) => {
      const { raw: _, ...subject } = judgement.subject;
      const shown = { ...judgement, definition, type: definition.type, params, subject: { ...subject, parsed } };
      return { ...itself, activity: activityOf(shown), namespaces: { ...itself.namespaces, ...namespacesOf(shown.subject) } };
    }),
  ];
}

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

function namespacesOf({ key, wallet, wallets, secrets, parsed }: PolicySubject): Record<string, HostValue> {
  const namespaces: Record<string, HostValue> = keyNamespaces(key, wallet);
  if (wallets !== undefined) namespaces.wallets = wallets.map(walletView);
  if (secrets !== undefined) namespaces.secrets = secrets.map(secretView);
  if (parsed === undefined) return namespaces;
  const account = key?.kind === 'walletAccount' ? accountAddress(key.body) : undefined;
  return Object.assign(namespaces, signedNamespaces(parsed, account));
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
