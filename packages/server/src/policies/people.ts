import type { PolicyCredential, PolicyUser } from '@countersign/policy';
import { expired } from '../auth/expiry.ts';
import { contactState } from '../organizations/contacts.ts';
import type { UserRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import type { Approvable } from './judgement.ts';
import { scopeRefusal } from './session-scope.ts';

/** The people of an organization as policies see them. */
export interface People {
  readonly users: ReadonlyMap<string, PolicyUser>;
  /** Credentials by id. */
  readonly credentials: ReadonlyMap<string, PolicyCredential>;
}

const known = new WeakMap<Snapshot, People>();

/** Made once per snapshot, since every decision needs it. */
export function peopleOf(organization: Snapshot): People {
  const made = known.get(organization) ?? gather(organization);
  known.set(organization, made);
  return made;
}

function gather({ users, apiKeys, authenticators }: Snapshot): People {
  const credentials: PolicyCredential[] = [
    ...[...apiKeys].map(([id, { userId, type, publicKey }]) => ({ id, userId, type, publicKey })),
    ...[...authenticators].map(([id, { userId, publicKey, credentialId }]) => ({
      id,
      userId,
      type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
      publicKey,
      credentialId,
    })),
  ];
  const toUser = ([id, user]: [string, UserRecord]): [string, PolicyUser] => [
    id,
    {
      id,
      tags: user.userTags,
      // SECURITY: policies trust an address, so one that somebody merely entered is not shown to them.
      email: contactState(user, 'OTP_TYPE_EMAIL')?.how === 'UNVERIFIED' ? undefined : user.userEmail,
      alias: user.userName,
      credentials: credentials.filter(({ userId }) => userId === id),
    },
  ];
  return { users: new Map([...users].map(toUser)), credentials: new Map(credentials.map((each) => [each.id, each])) };
}

/** How long an approval counts. The activity stays open and can be approved again. */
const APPROVAL_LIFE_MS = 24 * 60 * 60 * 1000;

/**
 * The approvals that count now.
 * SECURITY: D12, D51, D52: an approval counts while its user and the very credential it was stamped with are in the organization and
 * have not expired. What was decided earlier gives it no weight. The approval of a session counts only for what its profile allows.
 */
export function liveApprovals(approvable: Approvable) {
  const { organization, votes, nowMs } = approvable;
  const people = peopleOf(organization);
  return votes
    .filter(({ selection, createdAtMs }) => selection === 'VOTE_SELECTION_APPROVED' && createdAtMs > nowMs - APPROVAL_LIFE_MS)
    .flatMap((vote) => {
      const credential = people.credentials.get(vote.credentialId);
      const user = people.users.get(vote.userId);
      if (credential === undefined || user === undefined || credential.userId !== user.id) return [];
      const apiKey = organization.apiKeys.get(credential.id);
      const counts = apiKey === undefined || (apiKey.restrictedTo === undefined && !expired(apiKey, nowMs));
      return counts && scopeRefusal(approvable, credential.id) === undefined ? [{ vote, user, credential }] : [];
    });
}
