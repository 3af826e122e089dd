import type { OtpType } from '@countersign/contract';
import { type ClientSignature, readSigned } from '../../auth/otp/client-signature.ts';
import { type SignUp, saysSignUp } from '../../auth/otp/token-usage.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';
import { namesContact } from './contacts.ts';
import { forgetDeadTokens, useUp } from './identity.ts';
import { invalidVerificationToken, requireVerificationToken } from './verification-token.ts';

/** Fields of a request for a sub-organization that can prove that one of its root users asked for it. */
interface SignUpRequest {
  readonly verificationToken?: string | undefined;
  readonly clientSignature?: ClientSignature | undefined;
  readonly rootUsers: readonly SignUp['user'][];
}

/** Result of verifying the token of a sign-up. */
export interface ProvenSignUp {
  /** Index of the root user with the proven contact, the type of the contact, and the key that signed. Undefined without a token. */
  readonly proven:
    | {
        readonly index: number;
        readonly type: OtpType;
        /** The key that signed the sign-up, as the token names it. */
        readonly publicKey: string;
      }
    | undefined;
  /** Records that the token was used, once the users have ids. */
  useToken(rootUserIds: readonly string[]): LocalChange[];
}

/**
 * If a request has a verification token, checks that the person at its contact wants to become the root user with that contact, with
 * exactly the credentials of the request: the key that the token names must have signed them.
 * SECURITY: a token that names no key is rejected: it proves the contact, but not who owns the credentials.
 * INVARIANT: a token creates one sub-organization. Its holder may then log in there with the same token, once, as clients do.
 */
export function proveSignUp(context: RunContext, request: SignUpRequest): ProvenSignUp {
  const { verificationToken, clientSignature, rootUsers } = request;
  if (verificationToken === undefined) return { proven: undefined, useToken: () => [] };
  const { claims, digest } = requireVerificationToken(context, verificationToken);
  const { id: tokenId, publicKey, verificationType, contact, expiresAtMs } = claims;
  if (publicKey === undefined)
    throw invalidVerificationToken('it names no key that could sign this sign-up (publicKey in verify_otp)');
  const matching = rootUsers.filter((user) => namesContact(user, verificationType, contact));
  const [user] = matching;
  if (user === undefined || matching.length > 1)
    throw invalidVerificationToken('exactly one root user must have the contact that it proves');
  if (!saysSignUp(clientSignature && readSigned(clientSignature, publicKey), { tokenId, user })) {
    throw invalidVerificationToken(
      'it names a key, but clientSignature is not a signature by that key over the contacts and credentials of this root user',
    );
  }
  const index = rootUsers.indexOf(user);
  return {
    proven: { index, type: verificationType, publicKey },
    useToken: (rootUserIds) => [
      ...forgetDeadTokens(context),
      useUp({ digest, deadAtMs: expiresAtMs }, rootUserIds[index] as string, context.nowMs),
    ],
  };
}
