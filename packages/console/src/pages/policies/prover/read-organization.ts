import type { Client } from '@countersign/client';
import { credentialTypes, type PolicyShape, type UserShape } from '@countersign/contract';
import {
  POLICY_LANGUAGE,
  type PolicyContent,
  policyContent,
  recordOf,
  toPolicySource,
  updatedContent,
} from '@countersign/judgement';
import type { NamedTag, PolicySource, PolicyUser } from '@countersign/policy';
import { ask } from '../../../data/ask.ts';
import { allPolicies, allUsers, readWhole } from '../../../data/lists.ts';
import type { ProofOrder } from '../../../prover/messages.ts';
import type { Draft } from '../draft.ts';
import { parametersOf, updateOf } from '../policy-parameters.ts';
import { withTagIds } from '../tag-ids.ts';

/** An item that a proof states as its assumption. */
export interface Assumed {
  readonly id: string;
  readonly name: string;
  /** Of policies: the time of the last change, in seconds. Absent for the draft. */
  readonly changedAt?: string | undefined;
  readonly tags: readonly string[];
}

/** The organization that a proof is about, as it was read. */
export interface ProvenOrganization extends Pick<ProofOrder, 'policies' | 'users' | 'rootQuorum'> {
  /** When the reading began. Later changes may be missing. */
  readonly readAtMs: number;
  readonly assumedPolicies: readonly Assumed[];
  readonly assumedUsers: readonly Assumed[];
}

/** The id of the draft of a new policy. */
const DRAFT = 'draft';

/** The policy that the draft replaces does not exist any more. */
export class PolicyGoneError extends Error {
  override readonly name = 'PolicyGoneError';
}

/**
 * Reads the organization from the service, with the draft as if it were saved.
 * SECURITY: D1064: nothing comes from the cache, and no item is left out or shortened: a proof without an ALLOW, a user or a tag would be wrong.
 * D1092: nor from a request for the list that began earlier, which the cache would share.
 */
export async function readOrganization(
  reader: Client,
  { draft, policyId, tags }: { readonly draft: Draft; readonly policyId: string | undefined; readonly tags: readonly NamedTag[] },
): Promise<ProvenOrganization> {
  const readAtMs = Date.now();
  const [policies, users, { organizationData }, resolved] = await Promise.all([
    readWhole(reader, allPolicies, {}).then((list) => wholePolicies(reader, list)),
    readWhole(reader, allUsers, {}).then((list) => wholeUsers(reader, list)),
    ask(reader, 'getOrganization', {}),
    withTagIds(draft, tags),
  ]);
  const tagName = (id: string) => tags.find((tag) => tag.id === id)?.name ?? id;
  const draftId = policyId ?? DRAFT;
  return {
    readAtMs,
    policies: withDraft(policies, resolved, policyId),
    users: users.map(toPolicyUser),
    rootQuorum: organizationData.rootQuorum,
    assumedPolicies: [
      { id: draftId, name: draft.policyName, tags: [] },
      ...policies
        .filter((policy) => policy.policyId !== policyId)
        .map(({ policyId: id, policyName: name, updatedAt }) => ({ id, name, changedAt: updatedAt.seconds, tags: [] })),
    ],
    assumedUsers: users.map(({ userId, userName, userTags }) => ({ id: userId, name: userName, tags: userTags.map(tagName) })),
  };
}

/** The policies as the service would compile them after the draft is saved. */
export function withDraft(policies: readonly PolicyShape[], draft: Draft, policyId: string | undefined): readonly PolicySource[] {
  const records = new Map<string, PolicyContent>();
  for (const policy of policies) records.set(policy.policyId, recordOf({ ...policy, id: policy.policyId }));
  if (policyId === undefined) records.set(DRAFT, policyContent({ ...parametersOf(draft), language: POLICY_LANGUAGE }));
  else {
    const stored = policies.find((policy) => policy.policyId === policyId);
    if (stored === undefined) throw new PolicyGoneError();
    records.set(policyId, updatedContent(recordOf({ ...stored, id: policyId }), updateOf(policyId, draft)));
  }
  return [...records].map(([id, content]) => toPolicySource(id, content));
}

/** A user as policies see them, with the credentials that queries show. */
export function toPolicyUser(user: UserShape): PolicyUser {
  const { userId, userName, userEmail, userEmailVerification, userTags, apiKeys, authenticators } = user;
  return {
    id: userId,
    tags: userTags,
    alias: userName,
    // SECURITY: as in `peopleOf`: policies do not see an unverified address.
    email: userEmailVerification?.how === 'UNVERIFIED' ? undefined : userEmail,
    credentials: [
      ...apiKeys.map(({ apiKeyId, credential }) => ({
        id: apiKeyId,
        userId,
        type: credential.type,
        publicKey: credential.publicKey,
      })),
      ...authenticators.map(({ authenticatorId, credentialId, credential }) => ({
        id: authenticatorId,
        userId,
        type: credential.type,
        publicKey: credential.publicKey,
        credentialId,
      })),
    ],
  };
}

/**
 * The users with a credential of every type, if an expression reads credentials.
 * SECURITY: D1091: people sign in and add credentials to themselves without a policy, so the listed credentials are not all that an approval can
 * come from. Otherwise "with a passkey" would be proven for everyone who has only a passkey.
 */
export function withAnyCredential(users: readonly PolicyUser[], texts: readonly (string | undefined)[]): readonly PolicyUser[] {
  if (!texts.some((text = '') => /\bcredentials\b/.test(text))) return users;
  return users.map((user) => ({
    ...user,
    credentials: [
      ...(user.credentials ?? []),
      ...credentialTypes.map((type) => ({ id: `${user.id} ${type}`, userId: user.id, type, publicKey: '' })),
    ],
  }));
}

async function wholePolicies(reader: Client, list: readonly PolicyShape[]): Promise<readonly PolicyShape[]> {
  const whole: PolicyShape[] = [];
  for (const each of list)
    whole.push(each.shortened === undefined ? each : (await ask(reader, 'getPolicy', { policyId: each.policyId })).policy);
  return whole;
}

async function wholeUsers(reader: Client, list: readonly UserShape[]): Promise<readonly UserShape[]> {
  const whole: UserShape[] = [];
  for (const each of list)
    whole.push(each.shortened === undefined ? each : (await ask(reader, 'getUser', { userId: each.userId })).user);
  return whole;
}
