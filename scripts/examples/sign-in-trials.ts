import type { Activities } from '@countersign/contract';
import type { Config } from '../../packages/server/src/config/settings.ts';
import type { TestIssuer } from '../../packages/server/test/auth/oidc/test-issuer.ts';
import type { Trial } from '../../test/features/catalogue/support/catalogue-case.ts';
import { passkeyParams } from '../../test/features/catalogue/support/passkeys.ts';
import { bundleIn, type Customer, createCustomer, keyFrom } from '../../test/features/sign-in/mail-support.ts';
import { credentialParams, exchangeOf, LYING, listed, newVerifier } from '../../test/features/sign-in/oauth2-support.ts';
import {
  createLinkedMember,
  loginParams,
  newSubject,
  oauthParams,
  providerParams,
  trust,
} from '../../test/features/sign-in/oidc-support.ts';
import { newestCode } from '../../test/features/sign-in/otp-support.ts';
import type { Inbox } from '../../test/features/sign-in/smtp-inbox.ts';
import { newTarget } from '../../test/features/sign-in/transfer-support.ts';
import { newApiKey } from '../../test/support/api-key.ts';
import type { Caller } from '../../test/support/caller.ts';
import { createMember, uniqueName } from '../../test/support/world.ts';

/** Requirements of sign-in: an application's root user, its mailbox, and an issuer that it trusts. */
export interface SignInStage {
  readonly root: Caller;
  readonly inbox: Inbox;
  readonly issuer: TestIssuer;
}

const codeFor = ({ email }: Customer) => ({ otpType: 'OTP_TYPE_EMAIL', contact: email });

/** A customer who has a one-time code to prove the address with. */
async function withCode({ root, inbox }: SignInStage) {
  const customer = await createCustomer(root);
  const { otpId } = await root.result('initOtp', codeFor(customer));
  return { customer, params: { otpId, otpCode: await newestCode(inbox, customer.email) } };
}

/** A client with a secret, of the provider that the test controls. */
function newClient({ root, issuer }: SignInStage) {
  issuer.answerJson('/token', { access_token: 'access', token_type: 'Bearer' });
  issuer.answerJson('/me', { data: { id: newSubject() } });
  return credentialParams(root, LYING, { clientId: uniqueName('client').replaceAll(' ', '-'), clientSecret: 'a client secret' });
}

/** Settings that trust the issuer, and list it as an OAuth 2 provider. */
export function oidcSettings({ url }: TestIssuer): Pick<Config, 'oidcIssuers' | 'oauth2Providers'> {
  return { oidcIssuers: [trust(url)], oauth2Providers: [listed(LYING, url, { subject: 'data.id' })] };
}

/** The id of a new OAuth 2 credential. */
export async function newOauth2Credential(stage: SignInStage): Promise<string> {
  return (await stage.root.result('createOauth2Credential', await newClient(stage))).oauth2CredentialId;
}

/** Sign-in activities, each with a request that succeeds. */
export const signInTrials: Partial<Record<keyof Activities, (stage: SignInStage) => Promise<Trial>>> = {
  async createOauthProviders({ root, issuer }) {
    const { userId } = await createMember(root);
    const oauthProviders = [providerParams(await issuer.token({ sub: newSubject() }))];
    return { caller: root, params: { userId, oauthProviders } };
  },
  async oauth({ root, issuer }) {
    const { sub } = await createLinkedMember(root, issuer);
    return { caller: root, params: (await oauthParams(issuer, sub)).params };
  },
  async oauthLogin({ root, issuer }) {
    const { sub } = await createLinkedMember(root, issuer);
    return { caller: root, params: (await loginParams(issuer, sub)).params };
  },
  async createOauth2Credential(stage) {
    return { caller: stage.root, params: await newClient(stage) };
  },
  async updateOauth2Credential(stage) {
    const oauth2CredentialId = await newOauth2Credential(stage);
    return { caller: stage.root, params: { oauth2CredentialId, ...(await newClient(stage)) } };
  },
  async deleteOauth2Credential(stage) {
    return { caller: stage.root, params: { oauth2CredentialId: await newOauth2Credential(stage) } };
  },
  async oauth2Authenticate(stage) {
    const { params } = exchangeOf(await newOauth2Credential(stage), newVerifier());
    return { caller: stage.root, params };
  },
  async stampLogin({ root }) {
    return { caller: (await createCustomer(root)).own, params: { publicKey: newApiKey().publicKey } };
  },
  async emailAuth({ root }) {
    const { backend, email } = await createCustomer(root);
    return { caller: backend, params: { email, targetPublicKey: newTarget().hex } };
  },
  async initOtp({ root }) {
    return { caller: root, params: codeFor(await createCustomer(root)) };
  },
  async verifyOtp(stage) {
    return { caller: stage.root, params: (await withCode(stage)).params };
  },
  async otpLogin(stage) {
    const { customer, params } = await withCode(stage);
    const { verificationToken } = await stage.root.result('verifyOtp', params);
    return { caller: customer.backend, params: { verificationToken, publicKey: newApiKey().publicKey } };
  },
  async initOtpAuth({ root }) {
    const customer = await createCustomer(root);
    return { caller: customer.backend, params: codeFor(customer) };
  },
  async otpAuth({ root, inbox }) {
    const customer = await createCustomer(root);
    const { otpId } = await customer.backend.result('initOtpAuth', codeFor(customer));
    const otpCode = await newestCode(inbox, customer.email);
    return { caller: customer.backend, params: { otpId, otpCode, targetPublicKey: newTarget().hex } };
  },
  async initUserEmailRecovery({ root }) {
    const { backend, email } = await createCustomer(root);
    return { caller: backend, params: { email, targetPublicKey: newTarget().hex } };
  },
  async recoverUser({ root, inbox }) {
    const { backend, own, email, userId } = await createCustomer(root);
    const target = newTarget();
    await backend.result('initUserEmailRecovery', { email, targetPublicKey: target.hex });
    const [mail] = await inbox.to(email);
    const caller = own.with({ key: keyFrom(bundleIn(mail?.text ?? ''), target) });
    return { caller, params: { userId, authenticator: passkeyParams() } };
  },
};
