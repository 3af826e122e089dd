import { defaults, RELAY_PATH, type RelayedName, relayed, type SignInIssuer, type SignInWays } from '@countersign/contract';
import { requiresProfiles } from '../../activities/sign-in/session-scope.ts';
import type { Captcha } from '../../auth/captcha.ts';
import type { TrustedIssuer } from '../../config/trusted-issuers.ts';
import type { AttestedSession } from '../../dialects/dialect.ts';
import { canonicalContact } from '../../organizations/contacts.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { validate } from '../../wire/read-parameters.ts';
import { type AttestedLogin, AuthProxy } from './auth-proxy.ts';
import { readBodyObject } from './envelope.ts';
import { type AnswerRelay, createRelayDesk, type RelayRequest, type RelayServices } from './relay-request.ts';

export type { AnswerRelay } from './relay-request.ts';

interface SignInServices extends RelayServices {
  readonly issuers: readonly TrustedIssuer[];
  readonly captcha: Captcha;
}

/** The unstamped requests that the service answers. */
export interface SignInRelay {
  readonly answers: ReadonlyMap<string, AnswerRelay>;
  attestedLogin(request: AttestedLogin): Promise<AttestedSession>;
}

/**
 * Signs in people without a credential. It is a client of this service in the same process: the vault stamps the body of an activity, and
 * the relay submits it. Policies of the organization decide about the user whose API key is the sign-in key. Without such a user, all
 * requests are denied. An organization that configured an auth proxy is served by it, every other by the rules of the console.
 */
export function signInRelay(relay: SignInServices): SignInRelay {
  const { vault } = relay.services;
  const { snapshots } = relay.services.organizations;
  const issuers = relay.issuers.flatMap(offeredBy);
  const desk = createRelayDesk(relay);
  const proxy = new AuthProxy({ ...relay, desk, requesterOf });

  async function ways(request: RelayRequest): Promise<SignInWays> {
    const organization = await desk.open(request);
    if (organization.records.authProxy.size > 0) return proxy.config(organization);
    const { id: organizationId, profile } = organization;
    const hasMail = profile.features.some(({ name }) => name === 'FEATURE_NAME_OTP_EMAIL_AUTH');
    return {
      organizationId,
      enabledProviders: [...(hasMail ? (['email'] as const) : []), ...(issuers.length > 0 ? (['oauth'] as const) : [])],
      sessionExpirationSeconds: defaults.sessionSeconds,
      openIdConnect: issuers,
    };
  }

  async function ask(name: RelayedName, request: RelayRequest): Promise<unknown> {
    const { activity, type, input, fixed } = relayed[name];
    const organization = await desk.open(request);
    if (organization.records.authProxy.size > 0) return proxy.answer(name, organization, request);
    const given = validate(input, readBodyObject(request.bytes));
    request.admitted.countSignIn(organization.id);
    const profile = await profileOf(organization, given);
    const requester = 'contact' in given ? requesterOf(organization.id, given.contact, request) : {};
    const parameters = { ...given, ...fixed, ...profile, ...requester };
    return (await desk.submit(organization, request, { activity, type, parameters })).result;
  }

  /** Omits the profile that the caller asks for if the organization requires profiles: its default profile then applies. */
  async function profileOf(organization: Snapshot, given: object): Promise<object> {
    if (!('sessionProfileId' in given)) return {};
    const { parentId } = organization.profile;
    const parent = async () => (parentId === null ? undefined : snapshots.current(parentId));
    return (await requiresProfiles({ organization, parent })) ? { sessionProfileId: undefined } : {};
  }

  /**
   * Identifies the requester of a code: contact and address. Rate limits then apply to that requester.
   * SECURITY: a keyed hash, so that no activity reveals the address.
   */
  function requesterOf(organizationId: string, text: string, { admitted }: Pick<RelayRequest, 'admitted'>) {
    const contact = canonicalContact('OTP_TYPE_EMAIL', text);
    const who = JSON.stringify([admitted.address, contact]);
    return { userIdentifier: Buffer.from(vault.integrity.code(organizationId, 'sign-in-requester', who)).toString('base64url') };
  }

  const names = Object.keys(relayed) as RelayedName[];
  const answers = new Map<string, AnswerRelay>([
    [`${RELAY_PATH}/wallet_kit_config`, ways],
    ...proxy.names.map((name): [string, AnswerRelay] => [
      `${RELAY_PATH}/${name}`,
      async (request) => proxy.answer(name, await desk.open(request), request),
    ]),
    // After those of the proxy, some of which have the same names: these serve organizations with and without a configuration.
    ...names.map((name): [string, AnswerRelay] => [`${RELAY_PATH}/${name}`, (request) => ask(name, request)]),
  ]);
  return { answers, attestedLogin: (request) => proxy.attestedLogin(request) };
}

function offeredBy({ issuer, audiences, authorizationEndpoint }: TrustedIssuer): SignInIssuer[] {
  const [clientId] = audiences;
  return authorizationEndpoint === undefined || clientId === undefined ? [] : [{ issuer, clientId, authorizationEndpoint }];
}
