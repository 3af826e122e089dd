import { type ActivityDefinition, type QueryDefinition, ServiceError } from '@countersign/contract';
import { expired } from '@countersign/judgement';
import type { Stamp } from '../../auth/api-key/stamp.ts';
import type { ApiKeyRecord, AuthenticatorRecord } from '../../organizations/records.ts';
import { provenCredentialKind, statedCredentialKind, suborgLookupKind } from '../../organizations/snapshot/lookups.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PipelineServices } from '../services.ts';
import { authenticate, findCredential, type StampedBody } from './authenticate.ts';

/** Maximum number of sub-organizations to check. If more than one knows a credential, that is a conflict, regardless of their number. */
const MAX_CANDIDATES = 8;

/**
 * Resolves the organization of a request that may use the parent's id, so that a user can sign in without the id of the sub-organization.
 * Returns the sub-organization that has a claim on the stamp's credential if the named organization does not know it; otherwise the named
 * one.
 * SECURITY: D378: every user of the parent can register any public key as their own. So the parent does not take a credential that was
 * proven in one sub-organization before the parent registered it.
 * Throws CREDENTIAL_CONFLICT to the holder of a credential on which several have the same claim.
 * SECURITY: D280: a credential without a claim gets the response of an unknown one.
 */
export function createSignInPlace(services: Pick<PipelineServices, 'organizations' | 'store' | 'auth' | 'clock'>) {
  const { store, clock } = services;
  const { snapshots } = services.organizations;
  const { stampRules } = services.auth;

  return async function signInPlace(
    { parentIdSuffices = false }: Pick<ActivityDefinition | QueryDefinition, 'parentIdSuffices'>,
    organizationId: string,
    stamped: StampedBody,
  ): Promise<string> {
    return parentIdSuffices ? placeOf(organizationId, stamped) : organizationId;
  };

  async function placeOf(organizationId: string, stamped: StampedBody): Promise<string> {
    const named = await snapshots.get(organizationId);
    const own = named && findCredential(named, stamped.stamp);
    if (own !== undefined) {
      const [proven] = claimsOn(stamped.stamp);
      const earlier = proven === undefined ? [] : await holdersOf(proven, organizationId, stamped, own.record.createdAtMs);
      // A credential of several sub-organizations belongs to a service, which the parent registered last.
      return earlier.length === 1 && earlier[0] !== undefined ? earlier[0].id : organizationId;
    }
    // SECURITY: D335: an organization that does not exist is looked up too, and one that is cached is read as if it were not. So the time
    // does not reveal which.
    if (named !== undefined) await store.organizations.head(organizationId);
    const [found, second] = await knownBy(organizationId, stamped);
    if (found === undefined) return organizationId;
    if (second === undefined) return found.id;
    // Only the holder of the credential learns of the conflict.
    const fresh = { target: snapshots.current, parent: snapshots.current };
    await authenticate(fresh, stampRules, found.id, stamped, clock.nowMs());
    const what = stamped.stamp.kind === 'apiKey' ? 'public key' : 'credential ID';
    throw new ServiceError(
      'CREDENTIAL_CONFLICT',
      `more than one suborg associated with a ${what}. Send the id of the sub-organization as organizationId.`,
    );
  }

  /** The sub-organizations that a credential may stand for, by the strongest claim that any of them has. */
  async function knownBy(parentId: string, stamped: StampedBody): Promise<readonly Snapshot[]> {
    for (const claim of claimsOn(stamped.stamp)) {
      const holders = await holdersOf(claim, parentId, stamped);
      if (holders.length > 0) return holders;
    }
    return [];
  }

  /**
   * The sub-organizations that have a claim on a credential: those in which it has not expired or, without such, the others. With
   * `beforeMs`, only those in which it has not expired and was proven before that time.
   */
  async function holdersOf(
    { kind, holds }: Claim,
    parentId: string,
    { stamp }: StampedBody,
    beforeMs?: number,
  ): Promise<readonly Snapshot[]> {
    const values = stamp.kind === 'apiKey' ? [stamp.publicKey] : [stamp.credentialId, stamp.innerCredentialId];
    const find = (value: string | undefined) =>
      value === undefined ? [] : store.lookups.find(parentId, kind, value, { limit: MAX_CANDIDATES });
    const ids = new Set((await Promise.all(values.map(find))).flat().map(({ id }) => id));
    const candidates = await Promise.all([...ids].map((id) => snapshots.current(id)));
    const nowMs = clock.nowMs();
    const known = candidates
      .filter((candidate) => candidate !== undefined)
      // SECURITY: the index is not authenticated; only the sub-organization itself proves its parent and its credentials.
      .filter(({ profile }) => profile.parentId === parentId)
      .flatMap((candidate) => {
        const credential = findCredential(candidate, stamp);
        if (credential === undefined || !holds(credential.record)) return [];
        if (beforeMs !== undefined && (credential.record.provenAtMs ?? beforeMs) >= beforeMs) return [];
        return [{ candidate, isOver: credential.kind === 'apiKey' && expired(credential.record, nowMs) }];
      });
    // SECURITY: an expired key keeps its claim. Its holder must not be sent to an organization with a weaker one.
    const usable = known.filter(({ isOver }) => !isOver);
    return (usable.length > 0 || beforeMs !== undefined ? usable : known).map(({ candidate }) => candidate);
  }
}

/** A reason to resolve a credential to a sub-organization, and the index of the credentials that have it. */
interface Claim {
  readonly kind: string;
  /** Whether the credential's own record confirms the index. */
  holds(record: ApiKeyRecord | AuthenticatorRecord): boolean;
}

/**
 * The claims that a sub-organization can have on a credential, strongest first.
 * INVARIANT: D280: the parent's id resolves an API key only if the service generated it, its holder proved possession, or the parent
 * registered it. A tenant can register any public key in its own sub-organization, and many public keys are addresses that everyone knows.
 * Each claim has its own index, so no number of weaker entries hides a stronger one.
 * SECURITY: D281: a passkey resolves without proof, because clients register one and then log in under the parent's id. Its registration
 * is not bound to an organization, so a second one is a conflict.
 */
function claimsOn({ kind }: Stamp): readonly Claim[] {
  const filter = kind === 'apiKey' ? 'PUBLIC_KEY' : 'CREDENTIAL_ID';
  const claims: readonly Claim[] = [
    { kind: provenCredentialKind(filter), holds: ({ provenAtMs }) => provenAtMs !== undefined },
    { kind: statedCredentialKind(filter), holds: ({ statedByParent }) => statedByParent === true },
  ];
  return kind === 'apiKey' ? claims : [...claims, { kind: suborgLookupKind(filter), holds: () => true }];
}
