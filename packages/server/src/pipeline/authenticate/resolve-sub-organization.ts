import { type ActivityDefinition, type QueryDefinition, ServiceError } from '@countersign/contract';
import { expired } from '@countersign/judgement';
import { suborgLookupKind, usedLookupKind } from '../../organizations/snapshot/lookups.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PipelineServices } from '../services.ts';
import { authenticate, findCredential, type StampedBody } from './authenticate.ts';

/** Maximum number of sub-organizations to check. If more than one knows a credential, that is a conflict, regardless of their number. */
const MAX_CANDIDATES = 8;

/**
 * Resolves the organization of a request that may use the parent's id, so that a user can sign in without the id of the sub-organization.
 * Returns the sub-organization that knows the stamp's credential if the named organization does not; otherwise the named one. Throws
 * CREDENTIAL_CONFLICT to the holder of a credential that several know.
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
    if (named !== undefined && findCredential(named, stamped.stamp) !== undefined) return organizationId;
    // SECURITY: also look up an organization that does not exist, so that the timing does not reveal it.
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

  /** The sub-organizations that know the credential. Prefers those in which it was used, then those in which it has not expired. */
  async function knownBy(parentId: string, { stamp }: StampedBody): Promise<Snapshot[]> {
    const [filter, value] =
      stamp.kind === 'apiKey' ? (['PUBLIC_KEY', stamp.publicKey] as const) : (['CREDENTIAL_ID', stamp.credentialId] as const);
    const find = (kind: string) => store.lookups.find(parentId, kind, value, { limit: MAX_CANDIDATES });
    // SECURITY: entries of used credentials come first. Only the holder can create one, so no number of other entries can hide it.
    const used = await find(usedLookupKind(filter));
    const rows = used.length > 0 ? used : await find(suborgLookupKind(filter));
    const candidates = await Promise.all(rows.map(({ id }) => snapshots.current(id)));
    const nowMs = clock.nowMs();
    const known = candidates
      .filter((candidate) => candidate !== undefined)
      // SECURITY: the index is not authenticated; only the sub-organization itself proves its parent and its credentials.
      .filter(({ profile }) => profile.parentId === parentId)
      .flatMap((candidate) => {
        const credential = findCredential(candidate, stamp);
        if (credential === undefined) return [];
        const over = credential.kind === 'apiKey' && expired(credential.record, nowMs);
        return [{ candidate, over, proven: credential.record.provenAtMs !== undefined }];
      });
    // SECURITY: anyone can register any public key in a sub-organization that they control, but only its holder can use it there. This also
    // applies if the key has expired in the one that its holder used: the holder must not be sent to an attacker's organization.
    const proven = known.filter((each) => each.proven);
    const likely = proven.length > 0 ? proven : known;
    const usable = likely.filter(({ over }) => !over);
    return (usable.length > 0 ? usable : likely).map(({ candidate }) => candidate);
  }
}
