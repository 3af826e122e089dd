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
import { addressBlock } from '../admission/index.ts';
import type { TrustedIssuer } from '../config/trusted-issuers.ts';
import { spec } from '../dialects/spec.ts';
import type { IpAddress } from '../network/ip-address.ts';
import { canonicalContact } from '../organizations/contacts.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { validate } from '../wire/validate.ts';
import { derSignature } from './der-stamp.ts';
import { type Operate, readBodyObject, requireOrganizationId, type Waiting } from './operations.ts';

/** A request without a stamp, whose body was read. */
export interface RelayRequest {
  /** What the header says that names the organization. */
  readonly organization: string | readonly string[] | undefined;
  readonly bytes: Uint8Array;
  readonly clientAddress: IpAddress | undefined;
  readonly waiting: Waiting;
}

export type AnswerRelay = (request: RelayRequest) => Promise<unknown>;

export interface RelayServices {
  readonly services: Pick<PipelineServices, 'vault' | 'snapshots' | 'rates' | 'clock'>;
  /** What answers stamped requests. */
  readonly operate: Operate;
  readonly issuers: readonly TrustedIssuer[];
}

/**
 * Signs people in who have no credential yet. It is a client of this service in the same process: it has the vault stamp the body of an
 * activity, and submits it like any other. What it may do is what the policies of an organization allow the user whose API key the
 * sign-in key is, and that is nothing where there is no such user.
 */
export function signInRelay(relay: RelayServices): ReadonlyMap<string, AnswerRelay> {
  const { vault, snapshots, rates, clock } = relay.services;
  const issuers = relay.issuers.flatMap(offeredBy);

  /** SECURITY: one answer where there is no such organization and where it has not turned this on. */
  async function openOrganization({ organization, clientAddress }: RelayRequest): Promise<Snapshot> {
    rates.signInFrom(addressBlock(clientAddress));
    if (typeof organization !== 'string')
      throw new ServiceError('ORGANIZATION_ID_INVALID', `Name the organization in one header ${RELAY_HEADER}.`);
    const organizationId = requireOrganizationId(organization);
    const found = await snapshots.current(organizationId);
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
    rates.signInTo(organization.id);
    const parameters = { ...given, ...fixed, ...requesterOf(organization.id, given, request) };
    const { body, signature } = await vault.service.signSignIn(organization.id, { type, timestampMs: clock.nowMs(), parameters });
    const stamp = `${vault.service.signInKey(organization.id)}.${Buffer.from(derSignature(signature)).toString('hex')}`;
    const definition: ActivityDefinition = activities[activity];
    const route = { kind: 'submit', dialect: spec, definition } as const;
    const { clientAddress, waiting } = request;
    try {
      const answer = await relay.operate(route, { 'x-stamp': stamp }, body, () => clientAddress, waiting);
      return resultIn(answer, activity);
    } catch (error) {
      throw isClosed(error) ? closed() : error;
    }
  }

  /**
   * Who asks for a code: this contact, from this address. Limits and waits then hit the one who asks too often.
   * SECURITY: a keyed hash, so that no activity tells the address.
   */
  function requesterOf(organizationId: string, given: object, { clientAddress }: RelayRequest): object {
    if (!('contact' in given)) return {};
    const contact = canonicalContact('OTP_TYPE_EMAIL', given.contact as string);
    const who = JSON.stringify([addressBlock(clientAddress), contact]);
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

/** SECURITY: a refusal by policies, or of the key, tells nobody what the policies are, nor who the sign-in user is. */
function isClosed(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'POLICY_DENIED' || errorCodes[error.code].status === 401);
}

function closed(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'Nobody signs in here without a passkey or an API key: there is no such organization, or its root quorum has not turned sign-in by e-mail code and OpenID Connect on.',
  );
}

/** The result of an activity that was carried out. One that waits for approvals signs nobody in. */
function resultIn(answer: unknown, activity: string): unknown {
  const { status, result } = (answer as { activity: { status: string; result: { activity: { result: object } } } }).activity;
  if (status !== 'ACTIVITY_STATUS_COMPLETED') throw closed();
  return (result.activity.result as Readonly<Record<string, unknown>>)[`${activity}Result`];
}
