import type { CredentialType } from '@countersign/contract';
import { isSession, type StrengthName, strengthOf } from './credential-strength.ts';
import type { Approvable } from './judgement.ts';
import type { MfaState } from './mfa.ts';
import type { JudgedOrganization } from './organization.ts';
import { mfaStatesOf } from './people.ts';
import type { ApiKeyRecord, AuthenticatorRecord } from './records.ts';
import type { DecisionRecord, VoteRecord } from './votes.ts';

/** The kinds of credentials that leaves name. A kind is an upper-case word, so that later releases can add others. */
export type CredentialKind =
  | 'API_KEY'
  | 'PASSKEY'
  | 'SESSION'
  | 'ONE_TIME_KEY'
  | 'RPC_TOKEN'
  | 'RPC_CERTIFICATE'
  | 'NONE'
  | 'SERVICE';

/** The vote as audit files show it. */
export type AuthorizingVote = Pick<VoteRecord, 'id' | 'userId' | 'credentialId' | 'selection' | 'scheme' | 'signature'>;

/** The step of an activity that a vote authorized. */
export interface AuthorizedStep {
  /** The organization of the voter, as it was before the step. */
  readonly organization: JudgedOrganization;
  readonly vote: AuthorizingVote;
  /** The decision on the vote, and its input. Absent for a rejection, and for a step without a decision. */
  readonly decided?: { readonly outcome: DecisionRecord['outcome']; readonly judgement: Approvable } | undefined;
}

/** Who authorized a step and how. The leaf of the step names the kind and contains the SHA-256 of the text. */
export interface StepAuthorization {
  readonly credentialKind: CredentialKind;
  /** JSON with a fixed order of members. */
  readonly text: string;
}

/**
 * The authorization of a step. Undefined if the organization does not have the credential.
 * INVARIANT: the service and the verifier of audit files call this with equal inputs and get the same bytes. Old leaves contain digests of
 * these bytes, so the form of existing members never changes.
 */
export function authorizationOf({ organization, vote, decided }: AuthorizedStep): StepAuthorization | undefined {
  const described = describe(organization, vote.credentialId);
  if (described === undefined) return undefined;
  const { credentialKind, text } = described;
  const states = vote.selection === APPROVED ? statesOf(decided, vote.userId) : [];
  const mfa = states.length === 0 ? '' : `,"mfa":${JSON.stringify(states.map(showState))}`;
  const { id, userId, credentialId, selection, scheme, signature } = vote;
  const shown = JSON.stringify({ id, userId, credentialId, selection, scheme, signature });
  return { credentialKind, text: `${text}${mfa},"vote":${shown}}` };
}

const APPROVED = 'VOTE_SELECTION_APPROVED';

/** A denial has none: it may precede the parameters, on which MFA policies depend. */
function statesOf(decided: AuthorizedStep['decided'], userId: string): readonly MfaState[] {
  if (decided === undefined || decided.outcome === 'DENY') return [];
  const { judgement } = decided;
  return judgement.organization.records.mfaPolicy.size === 0 ? [] : mfaStatesOf(judgement, userId);
}

function showState({ mfaPolicyId, satisfied, satisfiedMethods }: MfaState) {
  return { mfaPolicyId, satisfied, met: satisfiedMethods.map(({ type, id }) => ({ type, ...(id !== undefined && { id }) })) };
}

type CredentialRecord = ApiKeyRecord | AuthenticatorRecord;

interface Described {
  readonly organizationId: string;
  readonly credentialKind: CredentialKind;
  /** The text up to the credential. */
  readonly text: string;
}

const known = new WeakMap<CredentialRecord, Described>();

function describe({ id, apiKeys, authenticators }: JudgedOrganization, credentialId: string): Described | undefined {
  const apiKey = apiKeys.get(credentialId);
  const record = apiKey ?? authenticators.get(credentialId);
  if (record === undefined) return undefined;
  const before = known.get(record);
  if (before?.organizationId === id) return before;
  const credential = apiKey === undefined ? passkey : describeKey(apiKey);
  const text = JSON.stringify({ organizationId: id, credential }).slice(0, -1);
  const made = { organizationId: id, credentialKind: credential.kind, text };
  known.set(record, made);
  return made;
}

interface ShownCredential {
  readonly kind: CredentialKind;
  readonly type: string;
  readonly strength: StrengthName;
  /** How a session was opened, and the profile that limits it. */
  readonly session?: { readonly method: string; readonly openedBy: readonly string[]; readonly profileId?: string };
}

const PASSKEY_TYPE = 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR';
const passkey: ShownCredential = { kind: 'PASSKEY', type: PASSKEY_TYPE, strength: strengthOf(PASSKEY_TYPE) };

/** The service stamps with these keys, so the leaf tells them from keys of clients. */
const rpcKinds: { readonly [Type in CredentialType]?: CredentialKind } = {
  CREDENTIAL_TYPE_RPC_TOKEN: 'RPC_TOKEN',
  CREDENTIAL_TYPE_RPC_CERTIFICATE: 'RPC_CERTIFICATE',
};

function describeKey(key: ApiKeyRecord): ShownCredential {
  const { type, restrictedTo, origin, limitedTo } = key;
  const strength = strengthOf(type);
  if (restrictedTo !== undefined) return { kind: 'ONE_TIME_KEY', type, strength };
  if (!isSession(key)) return { kind: rpcKinds[type] ?? 'API_KEY', type, strength };
  const session = {
    method: origin?.method ?? 'SESSION',
    openedBy: origin?.openedBy ?? [],
    ...(limitedTo && { profileId: limitedTo.sessionProfileId }),
  };
  return { kind: 'SESSION', type, strength, session };
}
