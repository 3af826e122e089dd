import type { Stamp } from '../../auth/api-key/stamp.ts';
import type { UsedCredential } from '../../auth/ip-allowlist.ts';
import type { ActivityRecord, VoteRecord } from '../../organizations/activities/activity-record.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Caller, StampedBody } from '../authenticate/authenticate.ts';

export type Selection = VoteRecord['selection'];

/** The vote of a caller, with everything needed to verify it again. */
export function toVote(
  { bodyText, stamped }: { readonly bodyText: string; readonly stamped: StampedBody },
  caller: Caller,
  selection: Selection,
  id: string,
  createdAtMs: number,
): VoteRecord {
  return {
    id,
    userId: caller.userId,
    userName: caller.user.userName,
    credentialId: caller.credentialId,
    selection,
    message: bodyText,
    publicKey: caller.publicKey,
    signature: stampSignature(stamped.stamp, caller.passkeyId),
    scheme: caller.scheme,
    createdAtMs,
  };
}

/** Whether the user has to approve the activity with another credential, and this is a new one. */
export function mayShowMore(
  { votes, decisions }: Pick<ActivityRecord, 'votes' | 'decisions'>,
  { userId, credentialId }: Pick<Caller, 'userId' | 'credentialId'>,
): boolean {
  const used = votes.some((vote) => vote.credentialId === credentialId);
  return !used && decisions.at(-1)?.mayApprove?.includes(userId) === true;
}

/** The signature as stored in votes: hexadecimal, or for a passkey with this id all signed data as JSON in base64url. */
export function stampSignature(stamp: Stamp, passkeyId?: string): string {
  const { signature } = stamp;
  const bytes = (part: Uint8Array) => Buffer.from(part.buffer, part.byteOffset, part.length);
  if (stamp.kind === 'apiKey') return bytes(signature).toString('hex');
  const { authenticatorData, clientDataJson } = stamp;
  const text = (part: Uint8Array) => bytes(part).toString('base64url');
  const parts = {
    credentialId: passkeyId ?? stamp.credentialId,
    authenticatorData: text(authenticatorData),
    clientDataJson: text(clientDataJson),
    signature: text(signature),
  };
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The credential that stamped a request, and the client address. */
export function requesterOf(
  { organizationId, credentialId, openedBy }: Caller,
  { clientAddress }: Pick<StampedBody, 'clientAddress'>,
): UsedCredential {
  const used: UsedCredential = { organizationId, credentialId, clientAddress };
  return openedBy === undefined ? used : { ...used, openedBy };
}

/**
 * The changes to a credential's record when it is used: its first use, and the signature counter of a passkey.
 * INVARIANT: D20: the counter of a passkey is stored in the same commit as the activity or vote that it stamps.
 */
export function usageChange({ credentialId: id, counted, firstUse }: Caller, nowMs: number): readonly LocalChange[] {
  const proven = firstUse && { provenAtMs: nowMs };
  if (counted !== undefined) {
    const { record, counter } = counted;
    return [{ op: 'putRecord', kind: 'authenticator', id, body: { ...record, ...proven, counter } }];
  }
  if (firstUse?.kind === 'apiKey') return [{ op: 'putRecord', kind: 'apiKey', id, body: { ...firstUse.record, ...proven } }];
  if (firstUse?.kind === 'authenticator')
    return [{ op: 'putRecord', kind: 'authenticator', id, body: { ...firstUse.record, ...proven } }];
  return unchanged;
}

const unchanged: readonly LocalChange[] = [];
