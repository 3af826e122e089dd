import {
  type ActivityDefinition,
  activities,
  defaults,
  errorCodes,
  RELAY_HEADER,
  RELAY_PATH,
  type RelayedName,
  relayed,
  ServiceError,
  type SignInIssuer,
  type SignInWays,
} from '@countersign/contract';
import { expired } from '@countersign/judgement';
import { requiresProfiles } from '../../activities/sign-in/session-scope.ts';
import type { AdmittedRequest } from '../../admission/index.ts';
import type { TrustedIssuer } from '../../config/trusted-issuers.ts';
import { spec } from '../../dialects/spec.ts';
import type { IpAddress } from '../../network/ip-address.ts';
import { canonicalContact } from '../../organizations/contacts.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { validate } from '../../wire/read-parameters.ts';
import { derSignature } from './der-stamp.ts';
import { readBodyObject, requireOrganizationId } from './envelope.ts';
import type { Operate } from './operations.ts';

/** A request without a stamp, with its body. */
export interface RelayRequest {
  /** The header that names the organization. */
  readonly organization: string | readonly string[] | undefined;
  readonly bytes: Uint8Array;
  readonly clientAddress: IpAddress | undefined;
  readonly admitted: AdmittedRequest;
}

export type AnswerRelay = (request: RelayRequest) => Promise<unknown>;

export interface RelayServices {
  readonly services: Pick<PipelineServices, 'vault' | 'organizations' | 'clock'>;
  /** Executes stamped requests. */
  readonly operate: Operate;
  readonly issuers: readonly TrustedIssuer[];
}

/**
 * Signs in people without a credential. It is a client of this service in the same process: the vault stamps the body of an activity, and
 * the relay submits it. Policies of the organization decide about the user whose API key is the sign-in key. Without such a user, all
 * requests are denied.
 */
export function signInRelay(relay: RelayServices): ReadonlyMap<string, AnswerRelay> {
  const { vault, clock } = relay.services;
  const { snapshots } = relay.services.organizations;
  const issuers = relay.issuers.flatMap(offeredBy);

  /** SECURITY: the response does not show whether the organization does not exist or has not enabled sign-in. */
  async function openOrganization({ organization, admitted }: RelayRequest): Promise<Snapshot> {
    admitted.countSignIn();
    await admitted.turn();
    if (typeof organization !== 'string')
      throw new ServiceError('ORGANIZATION_ID_INVALID', `Send the organization id in one header ${RELAY_HEADER}.`);
    const organizationId = requireOrganizationId(organization);
    const found = await admitted.read(() => snapshots.current(organizationId));
    const publicKey = vault.service.signInKey(organizationId);
    const key = found?.apiKeys.get(found.apiKeyByPublicKey.get(publicKey) ?? '');
    if (found === undefined || key === undefined || !found.users.has(key.userId) || expired(key, clock.nowMs())) throw closed();
    return found;
  }

  async function ways(request: RelayRequest): Promise<SignInWays> {
    const { id: organizationId, profile } = await openOrganization(request);
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
    const organization = await openOrganization(request);
    const given = validate(input, readBodyObject(request.bytes));
    request.admitted.countSignIn(organization.id);
    const profile = await profileOf(organization, given);
    const parameters = { ...given, ...fixed, ...profile, ...requesterOf(organization.id, given, request) };
    const { body, signature } = await vault.service.signSignIn(organization.id, { type, timestampMs: clock.nowMs(), parameters });
    const stamp = `${vault.service.signInKey(organization.id)}.${Buffer.from(derSignature(signature)).toString('hex')}`;
    const definition: ActivityDefinition = activities[activity];
    const route = { kind: 'submit', dialect: spec, definition } as const;
    const { clientAddress, admitted } = request;
    try {
      const answer = await relay.operate(route, { 'x-stamp': stamp }, body, () => clientAddress, admitted);
      return resultIn(answer, activity);
    } catch (error) {
      throw isClosed(error) ? closed() : error;
    }
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
  function requesterOf(organizationId: string, given: object, { admitted }: RelayRequest): object {
    if (!('contact' in given)) return {};
    const contact = canonicalContact('OTP_TYPE_EMAIL', given.contact as string);
    const who = JSON.stringify([admitted.address, contact]);
    return { userIdentifier: Buffer.from(vault.integrity.code(organizationId, 'sign-in-requester', who)).toString('base64url') };
  }

  const names = Object.keys(relayed) as RelayedName[];
  return new Map<string, AnswerRelay>([
    [`${RELAY_PATH}/wallet_kit_config`, ways],
    ...names.map((name): [string, AnswerRelay] => [`${RELAY_PATH}/${name}`, (request) => ask(name, request)]),
  ]);
}

function offeredBy({ issuer, audiences, authorizationEndpoint }: TrustedIssuer): SignInIssuer[] {
  const [clientId] = audiences;
  return authorizationEndpoint === undefined || clientId === undefined ? [] : [{ issuer, clientId, authorizationEndpoint }];
}

/** SECURITY: a denial by policies, or of the key, must not reveal the policies or the sign-in user. */
function isClosed(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'POLICY_DENIED' || errorCodes[error.code].status === 401);
}

function closed(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'Signing in here requires a passkey or an API key: the organization does not exist, or its root quorum has not turned on sign-in by email code and OpenID Connect.',
  );
}

/** The result of an executed activity. A pending one does not sign in. */
function resultIn(answer: unknown, activity: string): unknown {
  const { status, result } = (answer as { activity: { status: string; result: { activity: { result: object } } } }).activity;
  if (status !== 'ACTIVITY_STATUS_COMPLETED') throw closed();
  return (result.activity.result as Readonly<Record<string, unknown>>)[`${activity}Result`];
}
