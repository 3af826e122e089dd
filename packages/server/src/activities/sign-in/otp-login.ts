import { activities, ServiceError } from '@countersign/contract';
import { type ClientSignature, provesLogin } from '../../auth/otp/client-signature.ts';
import { readVerificationToken, type VerificationClaims } from '../../auth/otp/verification-token.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { execute } from '../../pipeline/executor.ts';
import { requireOne, usersAt } from './contacts.ts';
import { forgetDeadTokens, useUp } from './identity.ts';
import { planLogin, recordLogin } from './login.ts';
import { requireCodeFeature } from './send-code.ts';

/** What of a request shows that the holder of the token's key makes it. */
interface HolderProof {
  readonly publicKey: string;
  readonly clientSignature?: ClientSignature | undefined;
}

export const otpLogin = execute(activities.otpLogin, {
  exclusive: true,

  async plan(_context, params) {
    return { intent: params, subject: {}, prepared: params };
  },

  async run(context, { prepared: params }) {
    const { organization, vault, nowMs } = context;
    const token = readVerificationToken(vault, params.verificationToken);
    if (token === undefined || token.claims.expiresAtMs <= nowMs) throw invalidToken('it does not verify, or it has expired');
    const { claims, digest } = token;
    requirePlace(organization, claims);
    requireHolder(params, claims);
    requireCodeFeature(organization, claims.verificationType);
    if (organization.records.usedToken.has(digest)) throw invalidToken('it was used before');
    const { userId } = requireOne(usersAt(organization, claims.verificationType, claims.contact), 'verificationToken');
    const { session, changes } = await recordLogin(context, planLogin(context, userId, params));
    const used = useUp({ digest, deadAtMs: claims.expiresAtMs }, userId, nowMs);
    return { result: { session }, changes: [...forgetDeadTokens(context), used, ...changes] };
  },
});

/** A token of the parent is good in its sub-organizations, one of a sub-organization nowhere else. */
function requirePlace({ id, organization }: Snapshot, { organizationId }: VerificationClaims): void {
  if (organizationId !== id && organizationId !== organization.parentId)
    throw invalidToken('it was issued in another organization');
}

/** A token that names a key is good for nobody but its holder. */
function requireHolder(
  { clientSignature, publicKey: sessionKeyHex }: HolderProof,
  { id: tokenId, publicKey }: VerificationClaims,
): void {
  if (publicKey === undefined) return;
  const proof = { tokenId, tokenKeyHex: publicKey, sessionKeyHex };
  if (clientSignature === undefined || !provesLogin(clientSignature, proof))
    throw invalidToken('it names a key, and clientSignature is not by that key over this login');
}

function invalidToken(reason: string): ServiceError {
  return new ServiceError('VERIFICATION_TOKEN_INVALID', `invalid verification token: ${reason}. Verify the contact again.`, {
    violations: [{ field: 'verificationToken', description: reason }],
  });
}
