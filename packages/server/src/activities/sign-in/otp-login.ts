import { activities } from '@countersign/contract';
import { type ClientSignature, readSigned } from '../../auth/otp/client-signature.ts';
import { saysLogin, saysStampLogin } from '../../auth/otp/token-usage.ts';
import type { VerificationClaims } from '../../auth/otp/verification-token.ts';
import { usersAt } from '../../organizations/contacts.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notRenewed, requireBoundToken, requireNoRootSession } from './by-sign-in-key.ts';
import { methodOf, requireOne } from './contacts.ts';
import { forgetDeadTokens, useUp } from './identity.ts';
import { loginKey, planLogin, recordLogin } from './login.ts';
import { requireCodeFeature } from './send-code.ts';
import { foreseenSeconds } from './session-keys.ts';
import { invalidVerificationToken, requireVerificationToken } from './verification-token.ts';

/** Fields of a request that prove that the holder of the token's key sent it. */
interface HolderProof {
  readonly publicKey: string;
  readonly clientSignature?: ClientSignature | undefined;
}

export const otpLogin = execute(activities.otpLogin, {
  locksOrganization: true,

  async plan(context, params) {
    const expirationSeconds = await foreseenSeconds(context, loginKey, params, { method: 'EMAIL' });
    return { intent: params, subject: { parameters: () => ({ expirationSeconds }) }, prepared: params };
  },

  async run(context, { prepared: params }) {
    const { organization, nowMs } = context;
    const { claims, digest } = requireVerificationToken(context, params.verificationToken);
    requireBoundToken(context, claims);
    requireHolder(params, claims);
    requireCodeFeature(organization, claims.verificationType);
    const { userId } = requireOne(usersAt(organization, claims.verificationType, claims.contact), 'verificationToken');
    requireNoRootSession(context, userId);
    const login = await planLogin(context, userId, params, { method: methodOf(claims.verificationType) });
    const { session, changes, warnings } = await recordLogin(
      context,
      notRenewed(context, login, params.expirationSeconds),
      login.publicKey === claims.publicKey,
    );
    const used = useUp({ digest, deadAtMs: claims.expiresAtMs }, userId, nowMs);
    return { result: { session }, changes: [...forgetDeadTokens(context), used, ...changes], warnings };
  },
});

/** Rejects a token that names a key unless that key signed this login. */
function requireHolder(
  { clientSignature, publicKey }: HolderProof,
  { id: tokenId, publicKey: tokenKey }: VerificationClaims,
): void {
  if (tokenKey === undefined) return;
  const statement = clientSignature && readSigned(clientSignature, tokenKey);
  if (!saysLogin(statement, { tokenId, sessionKeyHex: publicKey }) && !saysStampLogin(statement, publicKey))
    throw invalidVerificationToken('it names a key, but clientSignature is not a signature by that key over this login');
}
