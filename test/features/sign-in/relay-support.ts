import { RELAY_HEADER, RELAY_PATH, relayCondition } from '@countersign/contract';
import type { ApiKey } from '../../support/api-key.ts';
import { type Answer, type Caller, type Json, post } from '../../support/caller.ts';
import { uniqueName, userParams } from '../../support/world.ts';
import { claimsOf, clientSignature, loginStatement } from './otp-support.ts';

/** What root makes to turn sign-in without a stamp on. */
export interface OpenSignIn {
  readonly publicKey: string;
  readonly userId: string;
  readonly policyId: string;
}

/** Turns sign-in on in an organization, with ordinary activities. */
export async function openSignIn(root: Caller): Promise<OpenSignIn> {
  const { publicKey } = await root.data('getSignInKey');
  const apiKeys = [{ apiKeyName: 'Sign-in key', publicKey, curveType: 'API_KEY_CURVE_P256' }];
  const { userIds } = await root.result('createUsers', { users: [{ ...userParams(), apiKeys }] });
  const { policyId } = await root.result('createPolicy', {
    policyName: uniqueName('Sign-in'),
    effect: 'EFFECT_ALLOW',
    condition: relayCondition,
    consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
    notes: '',
  });
  return { publicKey, userId: userIds[0], policyId };
}

/** Asks the relay, as a browser does that has no credential. */
export function ask(
  { url, organizationId }: Pick<Caller, 'url' | 'organizationId'>,
  path: string,
  body: object,
): Promise<Answer> {
  return post(`${url}${RELAY_PATH}/${path}`, Buffer.from(JSON.stringify(body)), { [RELAY_HEADER]: organizationId });
}

export const askCode = (where: Caller, contact: string) => ask(where, 'otp_init', { otpType: 'OTP_TYPE_EMAIL', contact });

/** What a browser sends to log in with a token that is bound to its key. */
export function loginBody(verificationToken: string, key: ApiKey, signer = key): Json {
  const statement = loginStatement(claimsOf(verificationToken).id, key.publicKey);
  return { verificationToken, publicKey: key.publicKey, clientSignature: clientSignature(signer, statement) };
}
