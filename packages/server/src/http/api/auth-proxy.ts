import {
  type AuthMethod,
  type AuthProxyRequestName,
  attestedLoginRequest,
  authProxyRequests,
  defaults,
  type OtpType,
  proxiedTypes,
  relayedTypes,
  ServiceError,
  type SignInWays,
} from '@countersign/contract';
import type { z } from 'zod';
import { findClient } from '../../activities/credentials/oauth2-credentials.ts';
import type { Captcha } from '../../auth/captcha.ts';
import { readVerificationToken, type VerificationClaims } from '../../auth/otp/verification-token.ts';
import type { AttestedSession } from '../../dialects/dialect.ts';
import { showIpAddress } from '../../network/ip-address.ts';
import type { AuthProxyRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { requireLive } from '../../pipeline/authenticate/admit.ts';
import { identify } from '../../pipeline/plan/prepare.ts';
import { validate } from '../../wire/read-parameters.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';
import { readAttestedStamp } from './attested-stamp.ts';
import { findAccount, type Proven } from './auth-proxy-accounts.ts';
import { readBodyObject, readEnvelope, rejectReference, requireOrganizationId } from './envelope.ts';
import {
  closed,
  type RelayDesk,
  type RelayedResult,
  type RelayRequest,
  type RelayServices,
  requireOrigin,
} from './relay-request.ts';

interface AuthProxyServices extends RelayServices {
  readonly desk: RelayDesk;
  readonly captcha: Captcha;
  /** Identifies the requester of a code, so that limits apply to them. */
  requesterOf(
    organizationId: string,
    contact: string,
    request: Pick<RelayRequest, 'admitted'>,
  ): { readonly userIdentifier: string };
}

/** A login with a stamp by a key that a token names. */
export interface AttestedLogin extends Omit<RelayRequest, 'organization' | 'captchaToken'> {
  readonly header: string | readonly string[] | undefined;
}

type Request<N extends AuthProxyRequestName> = z.output<(typeof authProxyRequests)[N]>;

/** A request that passed the checks that all have in common. */
interface Visit {
  readonly organization: Snapshot;
  readonly config: AuthProxyRecord;
  readonly request: Pick<RelayRequest, 'admitted' | 'clientAddress' | 'userAgent'>;
}

const methodsOf: Readonly<Record<OtpType, AuthMethod>> = { OTP_TYPE_EMAIL: 'email', OTP_TYPE_SMS: 'sms' };

/** How long a proof of a contact is good, in seconds. */
const PROOF_SECONDS = 300;

/** Serves the front ends of organizations that have configured an auth proxy. */
export class AuthProxy {
  readonly names = Object.keys(authProxyRequests) as AuthProxyRequestName[];
  readonly #proxy: AuthProxyServices;

  constructor(proxy: AuthProxyServices) {
    this.#proxy = proxy;
  }

  readonly #answers: { readonly [N in AuthProxyRequestName]: (visit: Visit, given: Request<N>) => Promise<unknown> } = {
    wallet_kit_client_params: async ({ config }) =>
      config.captchaEnabled === true && this.#proxy.captcha.siteKey !== undefined
        ? { turnstileSiteKey: this.#proxy.captcha.siteKey }
        : {},
    otp_init: (visit, given) => this.#initOtp(visit, given, false),
    otp_init_v2: (visit, given) => this.#initOtp(visit, given, true),
    otp_verify: (visit, given) => this.#verifyOtp(visit, given, relayedTypes.otp_verify),
    otp_verify_v2: (visit, given) => this.#verifyOtp(visit, given, proxiedTypes.otp_verify_v2),
    otp_login: async (visit, given) => (await this.#otpLogin(visit, given)).result,
    otp_login_v2: async (visit, given) => (await this.#otpLogin(visit, given)).result,
    oauth_login: async (visit, given) => (await this.#oauthLogin(visit, given)).result,
    oauth2_authenticate: (visit, given) => this.#oauth2Authenticate(visit, given),
    signup: (visit, given) => this.#signUp(visit, given),
    signup_v2: (visit, given) => this.#signUp(visit, given),
    account: (visit, given) => this.#account(visit, given),
  };

  /** What a page needs to know to show the ways to sign in. */
  config({ id: organizationId, records }: Snapshot): SignInWays {
    const config = records.authProxy.get(organizationId);
    const { enabledSocialProviders = [], oauthClientIds, oauthRedirectUrl } = config?.walletKitSettings ?? {};
    const methods = (config?.allowedAuthMethods ?? []).filter((method) => method !== 'oauth');
    return {
      organizationId,
      enabledProviders: [...methods, ...enabledSocialProviders],
      sessionExpirationSeconds: sessionOf(config ?? {}).expirationSeconds,
      ...(oauthClientIds && { oauthClientIds }),
      ...(oauthRedirectUrl !== undefined && { oauthRedirectUrl }),
      otpAlphanumeric: config?.otpAlphanumeric ?? defaults.alphanumericCode,
      otpLength: String(config?.otpLength ?? defaults.codeLength),
      openIdConnect: [],
    };
  }

  /** Responds to a request, once the organization has allowed the origin. */
  async answer(name: AuthProxyRequestName, organization: Snapshot, request: RelayRequest): Promise<unknown> {
    const visit = this.#visitOf(organization, request);
    const hasBody = authProxyRequests[name] !== authProxyRequests.wallet_kit_client_params;
    const given = hasBody ? validate(authProxyRequests[name], readBodyObject(request.bytes)) : {};
    request.admitted.countSignIn(organization.id);
    if (visit.config.captchaEnabled === true && needsCaptcha(name, given)) {
      const token = typeof request.captchaToken === 'string' ? request.captchaToken : undefined;
      await this.#proxy.captcha.require(token, request.clientAddress && showIpAddress(request.clientAddress));
    }
    return this.#answers[name](visit, given as never);
  }

  /** Logs in with a token instead of a credential. */
  async attestedLogin(request: AttestedLogin): Promise<AttestedSession> {
    const { header, bytes, admitted, origin, allowOrigin } = request;
    admitted.countSignIn();
    await admitted.turn();
    const stamp = readAttestedStamp(header, bytes);
    const envelope = readEnvelope(readBodyObject(bytes), ['generateAppProofs']);
    const { type, timestampMs, organizationId, parameters } = envelope;
    rejectReference(envelope, 'a login with an attested stamp');
    if (type !== 'ACTIVITY_TYPE_STAMP_LOGIN') throw invalidField('type', 'must be ACTIVITY_TYPE_STAMP_LOGIN');
    requireLive(timestampMs, this.#proxy.services.clock.nowMs());
    const given = validate(attestedLoginRequest, parameters);
    const { expirationSeconds, sessionProfileId: _, ...login } = given;
    const named = await admitted.read(() =>
      this.#proxy.services.organizations.snapshots.current(requireOrganizationId(organizationId)),
    );
    if (named === undefined) throw closed();
    const organization = await this.#proxy.desk.requireOpen(named.profile.parentId ?? named.id, admitted);
    requireOrigin(organization, { origin, allowOrigin });
    const visit = this.#visitOf(organization, request);
    admitted.countSignIn(organization.id);
    // SECURITY: D849: the stamp is by the key that becomes the session's key, so a stolen token opens no session for another one.
    if (login.publicKey.toLowerCase() !== stamp.publicKey) throw invalidField('publicKey', 'must be the key of the stamp');
    const target = named.id === organization.id ? {} : { organizationId: named.id };
    const { signature, publicKey } = stamp;
    const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
    const clientSignature = { publicKey, scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256' as const, message, signature };
    const { activityId, result } =
      stamp.kind === 'CONTACT'
        ? await this.#otpLogin(visit, { ...login, ...target, verificationToken: stamp.token, clientSignature }, expirationSeconds)
        : await this.#oauthLogin(visit, { ...login, ...target, oidcToken: stamp.token }, expirationSeconds);
    return { activityId, organizationId: named.id, timestampMs, session: (result as { readonly session: string }).session };
  }

  #claimsOf(token: string, { organization, config }: Visit): VerificationClaims {
    const claims = readVerificationToken(this.#proxy.services.vault.service, token)?.claims;
    // SECURITY: D844: a proof for another organization proves nothing here.
    if (
      claims === undefined ||
      claims.expiresAtMs <= this.#proxy.services.clock.nowMs() ||
      claims.organizationId !== organization.id
    ) {
      const description = 'it does not verify, has expired, or was issued in another organization';
      throw new ServiceError(
        'VERIFICATION_TOKEN_INVALID',
        `invalid verification token: ${description}. Verify the contact again.`,
        {
          violations: [{ field: 'verificationToken', description }],
        },
      );
    }
    requireMethod(config, methodsOf[claims.verificationType]);
    return claims;
  }

  async #identityOf(token: string, { config }: Visit, field: string): Promise<Proven> {
    requireMethod(config, 'oauth');
    const identity = await identify(this.#proxy.services, token, field);
    // SECURITY: D844: a token that another application of the operator obtained proves nothing here.
    const clientIds = Object.values(config.walletKitSettings?.oauthClientIds ?? {});
    if (clientIds.length > 0 && !clientIds.includes(identity.audience))
      throw invalidField(field, 'has an audience that is not in oauthClientIds of the auth proxy');
    return { identity };
  }

  async #initOtp(visit: Visit, { otpType, contact }: Request<'otp_init'>, encrypted: boolean): Promise<unknown> {
    const { organization, config, request } = visit;
    requireMethod(config, methodsOf[otpType]);
    const { emailCustomizationParams: look = {}, otpExpirationSeconds } = config;
    const { appName = '', ...emailCustomization } = look;
    const parameters = {
      otpType,
      contact,
      ...(encrypted ? { appName: appName || organization.profile.name, emailCustomization } : { emailCustomization: look }),
      smsCustomization: config.smsCustomizationParams,
      sendFromEmailAddress: config.sendFromEmailAddress,
      sendFromEmailSenderName: config.sendFromEmailSenderName,
      replyToEmailAddress: config.replyToEmailAddress,
      otpLength: config.otpLength,
      alphanumeric: config.otpAlphanumeric,
      expirationSeconds: otpExpirationSeconds === undefined ? undefined : String(otpExpirationSeconds),
      ...this.#proxy.requesterOf(organization.id, contact, request),
    };
    const type = encrypted ? proxiedTypes.otp_init_v2 : relayedTypes.otp_init;
    return (await this.#proxy.desk.submit(organization, request, { activity: 'initOtp', type, parameters })).result;
  }

  async #verifyOtp({ organization, config, request }: Visit, given: object, type: string): Promise<unknown> {
    const expirationSeconds = String(config.verificationTokenExpirationSeconds ?? PROOF_SECONDS);
    const parameters = { ...given, expirationSeconds };
    return (await this.#proxy.desk.submit(organization, request, { activity: 'verifyOtp', type, parameters })).result;
  }

  /** SECURITY: a proof that leads to no account gets the same response as an id that is not the account of the proof. */
  async #accountFor(visit: Visit, proven: Proven, organizationId: string | undefined): Promise<string> {
    const account = await findAccount(this.#proxy.services, visit.organization, proven);
    if (account === undefined || (organizationId !== undefined && organizationId.toLowerCase() !== account.id))
      throw notFound('account', 'organizationId');
    return account.id;
  }

  async #otpLogin(visit: Visit, given: Request<'otp_login'>, seconds?: string): Promise<RelayedResult> {
    const { organizationId, ...parameters } = given;
    const { verificationType: type, contact } = this.#claimsOf(given.verificationToken, visit);
    const targetId = await this.#accountFor(visit, { type, contact }, organizationId);
    return this.#proxy.desk.submit(visit.organization, visit.request, {
      activity: 'otpLogin',
      type: relayedTypes.otp_login,
      targetId,
      parameters: { ...parameters, ...sessionOf(visit.config, seconds) },
    });
  }

  async #oauthLogin(visit: Visit, given: Request<'oauth_login'>, seconds?: string): Promise<RelayedResult> {
    const { organizationId, ...parameters } = given;
    const targetId = await this.#accountFor(visit, await this.#identityOf(given.oidcToken, visit, 'oidcToken'), organizationId);
    return this.#proxy.desk.submit(visit.organization, visit.request, {
      activity: 'oauthLogin',
      type: relayedTypes.oauth_login,
      targetId,
      parameters: { ...parameters, ...sessionOf(visit.config, seconds) },
    });
  }

  /** Exchanges a code for a token, which then signs up or logs in like that of an OpenID Connect issuer. */
  async #oauth2Authenticate({ organization, config, request }: Visit, given: Request<'oauth2_authenticate'>): Promise<unknown> {
    requireMethod(config, 'oauth');
    const { provider, clientId, ...code } = given;
    const [oauth2CredentialId] = findClient(organization.records.oauth2Credential, provider, clientId) ?? [];
    if (oauth2CredentialId === undefined) throw notFound('OAuth 2 credential of this provider and client', 'clientId');
    const { result } = await this.#proxy.desk.submit(organization, request, {
      activity: 'oauth2Authenticate',
      type: proxiedTypes.oauth2_authenticate,
      parameters: { oauth2CredentialId, ...code },
    });
    return result;
  }

  async #signUp(visit: Visit, given: Request<'signup'>): Promise<unknown> {
    const { organization, config, request } = visit;
    const { userName, organizationName, wallet, verificationToken, clientSignature, ...user } = given;
    const proofs = await this.#proofsIn(visit, given);
    for (const proof of proofs) {
      if ((await findAccount(this.#proxy.services, organization, proof)) !== undefined)
        throw new ServiceError(
          'PRECONDITION_FAILED',
          'There is an account already for this contact or identity. Log in instead.',
        );
    }
    const parameters = {
      subOrganizationName: organizationName ?? 'Account',
      rootQuorumThreshold: 1,
      rootUsers: [{ userName: userName ?? 'User', ...user }],
      wallet: config.wallet ?? wallet,
      verificationToken,
      clientSignature,
    };
    const { result } = await this.#proxy.desk.submit(organization, request, {
      activity: 'createSubOrganization',
      type: proxiedTypes.signup,
      parameters,
    });
    const { subOrganizationId, rootUserIds: [userId] = [], wallet: created } = result as SignUpResult;
    return { organizationId: subOrganizationId, userId, ...(created !== undefined && { wallet: created }) };
  }

  async #proofsIn(visit: Visit, { verificationToken, oauthProviders }: Request<'signup'>): Promise<Proven[]> {
    const identities = await Promise.all(
      oauthProviders.map(({ oidcToken }, index) => this.#identityOf(oidcToken, visit, `oauthProviders.${index}.oidcToken`)),
    );
    if (verificationToken === undefined) return identities;
    const { verificationType: type, contact } = this.#claimsOf(verificationToken, visit);
    return [{ type, contact }, ...identities];
  }

  /** SECURITY: D842: the owner of a contact or an identity learns whether it has an account, and nobody else. */
  async #account(visit: Visit, { filterType, filterValue, verificationToken }: Request<'account'>): Promise<unknown> {
    const proven = async (): Promise<Proven> => {
      if (filterType === 'OIDC_TOKEN') return this.#identityOf(filterValue, visit, 'filterValue');
      if (verificationToken === undefined)
        throw invalidField('verificationToken', 'is required: only the owner of a contact learns whether it has an account');
      const { verificationType: type, contact } = this.#claimsOf(verificationToken, visit);
      const isSameType = type === (filterType === 'EMAIL' ? 'OTP_TYPE_EMAIL' : 'OTP_TYPE_SMS');
      if (!isSameType || !isSameContact(contact, filterValue))
        throw invalidField('filterValue', 'is not the contact that verificationToken proves');
      return { type, contact };
    };
    const found = await findAccount(this.#proxy.services, visit.organization, await proven());
    return found === undefined ? {} : { organizationId: found.id };
  }

  #visitOf(organization: Snapshot, request: Visit['request']): Visit {
    const config = organization.records.authProxy.get(organization.id);
    if (config === undefined) throw closed();
    return { organization, config, request };
  }
}

interface SignUpResult {
  readonly subOrganizationId: string;
  readonly rootUserIds?: readonly string[];
  readonly wallet?: unknown;
}

/**
 * Lifetime and profile of a session.
 * SECURITY: D847: the configuration decides. A request can only shorten the lifetime.
 */
function sessionOf(config: Partial<AuthProxyRecord>, seconds?: string): { readonly expirationSeconds: string } {
  const greatest = config.sessionExpirationSeconds ?? Number(defaults.sessionSeconds);
  const { sessionProfileId = '' } = config;
  const expirationSeconds = String(Math.min(greatest, Number(seconds ?? greatest)));
  return { expirationSeconds, ...(sessionProfileId !== '' && { sessionProfileId }) };
}

function requireMethod({ allowedAuthMethods = [] }: AuthProxyRecord, method: AuthMethod): void {
  if (allowedAuthMethods.includes(method)) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `The auth proxy of this organization does not offer ${method} (allowedAuthMethods).`,
  );
}

/** A sign-up with a proven contact follows a code, for which a captcha was solved. */
function needsCaptcha(name: AuthProxyRequestName, given: unknown): boolean {
  if (name === 'otp_init' || name === 'otp_init_v2') return true;
  const isSignUp = name === 'signup' || name === 'signup_v2';
  return isSignUp && (given as Request<'signup'>).verificationToken === undefined;
}

const isSameContact = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
