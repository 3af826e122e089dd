import { queries } from '@countersign/contract';
import { credentialsOfUser, demandsMoreThanMail } from '@countersign/judgement';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Caller } from '../../pipeline/authenticate/authenticate.ts';
import { resolve } from '../../pipeline/query.ts';

export const whoami = resolve(queries.whoami, async ({ snapshots, caller }) => {
  const organization = await snapshots.get(caller.organizationId);
  const oneTimeKey = organization && oneTimeKeyOf(organization, caller);
  return {
    organizationId: caller.organizationId,
    organizationName: organization?.profile.name ?? '',
    userId: caller.userId,
    username: caller.user.userName,
    ...(oneTimeKey && { oneTimeKey }),
  };
});

/**
 * SECURITY: D310: the page of a link asks this before it creates a passkey. The holder of the key can become the user, so the names and
 * the ids of the user's passkeys reveal nothing more.
 */
function oneTimeKeyOf(organization: Snapshot, { restrictedTo, credentialId, userId }: Caller) {
  if (restrictedTo === undefined) return undefined;
  const passkeys = [...credentialsOfUser(organization.authenticators, userId).values()];
  const common = {
    exchanged: organization.apiKeys.get(credentialId)?.exchanged === true,
    usable: !demandsMoreThanMail(organization, userId),
    credentialIds: passkeys.map((passkey) => passkey.credentialId),
  };
  return restrictedTo.activity === 'acceptInvitation'
    ? { activity: 'accept_invitation' as const, invitationId: restrictedTo.subjectId, ...common }
    : { activity: 'recover_user' as const, ...common };
}
