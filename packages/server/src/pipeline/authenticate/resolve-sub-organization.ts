import { type ActivityDefinition, type QueryDefinition, ServiceError } from '@countersign/contract';
import { expired } from '@countersign/judgement';
import { suborgLookupKind, usedLookupKind } from '../../organizations/lookups.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PipelineServices } from '../services.ts';
import { authenticate, findCredential, type StampedBody } from './authenticate.ts';

/** As many sub-organizations are looked at. More than one that knows a credential is a conflict, however many there are. */
const MAX_CANDIDATES = 8;

/**
 * Where a request belongs that may come under the parent's id: whoever signs in need not know the id of the own sub-organization.
 * Gives the id of the one sub-organization that knows the stamp's credential, where the named organization does not know it itself;
 * else the named one. Throws CREDENTIAL_CONFLICT to the holder of a credential that several know.
 */
export function createSignInPlace(services: PipelineServices) {
  const { snapshots, store, stampRules, clock } = services;

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
    // SECURITY: an organization that does not exist is looked up too, so that the time of the answer does not tell.
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

  /** The sub-organizations that know the credential. Those count where it was used, or else all; of these where it works, or else all. */
  async function knownBy(parentId: string, { stamp }: StampedBody): Promise<Snapshot[]> {
    const [filter, value] =
      stamp.kind === 'apiKey' ? (['PUBLIC_KEY', stamp.publicKey] as const) : (['CREDENTIAL_ID', stamp.credentialId] as const);
    const find = (kind: string) => store.lookups.find(parentId, kind, value, { limit: MAX_CANDIDATES });
    // SECURITY: those where it was used come first. Only its holder can make such an entry, so no number of other ones hides it.
    const used = await find(usedLookupKind(filter));
    const rows = used.length > 0 ? used : await find(suborgLookupKind(filter));
    const candidates = await Promise.all(rows.map(({ id }) => snapshots.current(id)));
    const nowMs = clock.nowMs();
    const known = candidates
      .filter((candidate) => candidate !== undefined)
      // SECURITY: an index entry proves nothing; the sub-organization itself says whose it is and what it knows.
      .filter(({ profile }) => profile.parentId === parentId)
      .flatMap((candidate) => {
        const credential = findCredential(candidate, stamp);
        if (credential === undefined) return [];
        const over = credential.kind === 'apiKey' && expired(credential.record, nowMs);
        return [{ candidate, over, proven: credential.record.provenAtMs !== undefined }];
      });
    // SECURITY: anybody can register anybody's public key in a sub-organization of their own. Only its holder can use it there. That holds
    // when it has expired where it was used: its holder must not end up in the organization of somebody else.
    const proven = known.filter((each) => each.proven);
    const likely = proven.length > 0 ? proven : known;
    const usable = likely.filter(({ over }) => !over);
    return (usable.length > 0 ? usable : likely).map(({ candidate }) => candidate);
  }
}
