import { ServiceError } from '@countersign/contract';
import type { InvitationRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { invitationsByReceiver, keysBySubject } from '../../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { notFound } from '../../wire/refuse.ts';
import { removeApiKeys } from '../credentials/remove-api-keys.ts';

/** Lifetime of an invitation: one week. */
export const INVITATION_SECONDS = 7 * 24 * 60 * 60;

/** Returns an open invitation. Throws NOT_FOUND, or PRECONDITION_FAILED if it was accepted or revoked. */
export function openInvitation({ records }: Snapshot, invitationId: string): InvitationRecord {
  const invitation = records.invitation.get(invitationId);
  if (invitation === undefined) throw notFound('invitation', 'invitationId');
  if (invitation.status === 'INVITATION_STATUS_CREATED') return invitation;
  const end = invitation.status === 'INVITATION_STATUS_ACCEPTED' ? 'accepted' : 'revoked';
  throw new ServiceError('PRECONDITION_FAILED', `The invitation was already ${end}.`, {
    violations: [{ field: 'invitationId', description: `This invitation was ${end}.` }],
  });
}

/** Returns the changes that end an invitation: they remove its one-time key and record its final status. */
export function endInvitation(
  organization: Snapshot,
  invitationId: string,
  invitation: InvitationRecord,
  status: InvitationRecord['status'],
  nowMs: number,
): LocalChange[] {
  const keys = keysBySubject(organization.apiKeys).get(invitationId);
  return [
    ...removeApiKeys(organization, [...(keys?.keys() ?? [])]),
    { op: 'putRecord', kind: 'invitation', id: invitationId, body: { ...invitation, status, updatedAtMs: nowMs } },
  ];
}

/** Returns the changes that revoke the open invitations of a deleted user. Their keys are deleted with the user. */
export function revokeInvitationsOf({ records }: Snapshot, userId: string, nowMs: number): LocalChange[] {
  return [...(invitationsByReceiver(records.invitation).get(userId) ?? [])]
    .filter(([, { status }]) => status === 'INVITATION_STATUS_CREATED')
    .map(([id, invitation]) => ({
      op: 'putRecord',
      kind: 'invitation',
      id,
      body: { ...invitation, status: 'INVITATION_STATUS_REVOKED', updatedAtMs: nowMs },
    }));
}
