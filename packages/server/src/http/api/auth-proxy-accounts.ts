import type { OtpType } from '@countersign/contract';
import type { OidcIdentity } from '../../auth/oidc/oidc.ts';
import { canonicalContact, contactState, provenContact, usersAt } from '../../organizations/contacts.ts';
import { identityKey, providersByIdentity } from '../../organizations/snapshot/indexes.ts';
import { provenLookupKind, suborgLookupKind } from '../../organizations/snapshot/lookups.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PipelineServices } from '../../pipeline/services.ts';

/** A contact or an identity that its owner has proven. */
export type Proven =
  | { readonly type: OtpType; readonly contact: string }
  | { readonly identity: Pick<OidcIdentity, 'issuer' | 'audience' | 'subject'> };

/** Candidates that are compared. Only the owner of a contact can create more. */
const MAX_CANDIDATES = 10;

/**
 * The sub-organization in which a contact or an identity was proven: first, if there are several.
 * SECURITY: D843: a contact without a proof does not count. The index is not authenticated, so the sub-organization itself must
 * confirm it.
 * D850: the time of the proof counts and not the age of the sub-organization. Otherwise, a thief who obtains one proof adds it to an older
 * one, and receives the owner at every later sign-in.
 */
export async function findAccount(
  { store, organizations: { snapshots } }: Pick<PipelineServices, 'store' | 'organizations'>,
  { id: parentId }: Snapshot,
  proven: Proven,
): Promise<Snapshot | undefined> {
  const [kind, value] = lookupOf(proven);
  const rows = await store.lookups.find(parentId, kind, value, { limit: MAX_CANDIDATES });
  const found = await Promise.all(rows.map(({ id }) => snapshots.current(id)));
  return found
    .filter((each) => each !== undefined)
    .filter(({ profile }) => profile.parentId === parentId && profile.deletedAtMs === undefined)
    .map((account) => ({ account, atMs: provenAtMs(account, proven) }))
    .filter(({ atMs }) => atMs !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.atMs - b.atMs || a.account.profile.createdAtMs - b.account.profile.createdAtMs)[0]?.account;
}

function lookupOf(proven: Proven): readonly [kind: string, value: string] {
  if ('identity' in proven) return [suborgLookupKind('OIDC_TOKEN'), identityKey(proven.identity)];
  const kind = provenLookupKind(proven.type === 'OTP_TYPE_EMAIL' ? 'EMAIL' : 'PHONE_NUMBER');
  return [kind, canonicalContact(proven.type, proven.contact)];
}

/** When it was proven to an organization. Infinity if it was not. */
function provenAtMs(organization: Snapshot, proven: Proven): number {
  if ('identity' in proven) {
    const links = providersByIdentity(organization.records.oauthProvider).get(identityKey(proven.identity)) ?? [];
    return Math.min(...[...links].map(([, { createdAtMs }]) => createdAtMs));
  }
  const { type, contact } = proven;
  const wanted = canonicalContact(type, contact);
  const holders = usersAt(organization, type, contact).filter(({ user }) => provenContact(user, type) === wanted);
  return Math.min(...holders.flatMap(({ user }) => contactState(user, type)?.atMs ?? []));
}
