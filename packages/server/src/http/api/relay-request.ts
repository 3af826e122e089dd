import { type ActivityDefinition, activities, errorCodes, proxiedTypes, RELAY_HEADER, ServiceError } from '@countersign/contract';
import { expired } from '@countersign/judgement';
import type { AdmittedRequest } from '../../admission/index.ts';
import { spec } from '../../dialects/spec.ts';
import type { IpAddress } from '../../network/ip-address.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { derSignature } from './der-stamp.ts';
import { requireOrganizationId } from './envelope.ts';
import type { Operate } from './operations.ts';

type HeaderValue = string | readonly string[] | undefined;

/** A request without a stamp, with its body. */
export interface RelayRequest {
  /** The header that names the organization. */
  readonly organization: HeaderValue;
  /** The origin of the page that sent it. Absent if no browser did. */
  readonly origin: string | undefined;
  /** The header with the answer of a captcha. */
  readonly captchaToken: HeaderValue;
  readonly bytes: Uint8Array;
  readonly clientAddress: IpAddress | undefined;
  /** The client, as it describes itself. */
  readonly userAgent: string | undefined;
  readonly admitted: AdmittedRequest;
  /** Lets the page read the response. */
  allowOrigin(): void;
}

export type AnswerRelay = (request: RelayRequest) => Promise<unknown>;

export interface RelayServices {
  readonly services: Pick<PipelineServices, 'vault' | 'organizations' | 'clock' | 'store' | 'auth' | 'limits'>;
  /** Executes stamped requests. */
  readonly operate: Operate;
}

/** An activity that the relay asks for. */
export interface RelayedActivity {
  readonly activity: keyof typeof activities;
  readonly type: string;
  /** By default the organization itself. */
  readonly targetId?: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** An executed activity. */
export interface RelayedResult {
  readonly activityId: string;
  readonly result: object;
}

/** The part of the relay that knows sign-in keys. */
export interface RelayDesk {
  /** The organization that the header names. Throws NOT_FOUND if it has no sign-in user. */
  open(request: RelayRequest): Promise<Snapshot>;
  /** The same for an organization that is known already. */
  requireOpen(organizationId: string, admitted: AdmittedRequest): Promise<Snapshot>;
  /** Has the vault stamp an activity and submits it. */
  submit(
    organization: Snapshot,
    request: Pick<RelayRequest, 'clientAddress' | 'userAgent' | 'admitted'>,
    asked: RelayedActivity,
  ): Promise<RelayedResult>;
}

export function createRelayDesk({ services, operate }: RelayServices): RelayDesk {
  const { vault, clock } = services;
  const { snapshots } = services.organizations;

  /** SECURITY: the response does not show whether the organization does not exist or has not enabled sign-in. */
  async function requireOpen(organizationId: string, admitted: AdmittedRequest): Promise<Snapshot> {
    const found = await admitted.read(() => snapshots.current(organizationId));
    const publicKey = vault.service.signInKey(organizationId);
    const key = found?.apiKeys.get(found.apiKeyByPublicKey.get(publicKey) ?? '');
    if (found === undefined || key === undefined || !found.users.has(key.userId) || expired(key, clock.nowMs())) throw closed();
    return found;
  }

  return {
    requireOpen,

    async open(request) {
      const { organization, admitted } = request;
      admitted.countSignIn();
      await admitted.turn();
      if (typeof organization !== 'string')
        throw new ServiceError('ORGANIZATION_ID_INVALID', `Send the organization id in one header ${RELAY_HEADER}.`);
      const found = await requireOpen(requireOrganizationId(organization), admitted);
      requireOrigin(found, request);
      return found;
    },

    async submit(
      organization,
      { clientAddress, userAgent, admitted },
      { activity, type, targetId = organization.id, parameters },
    ) {
      const asked = { type, targetId, timestampMs: clock.nowMs(), parameters };
      const { body, signature } = await vault.service.signSignIn(organization.id, asked);
      const stamp = `${vault.service.signInKey(organization.id)}.${Buffer.from(derSignature(signature)).toString('hex')}`;
      const definition: ActivityDefinition = activities[activity];
      const route = { kind: 'submit', dialect: spec, definition } as const;
      try {
        const answer = await operate(route, { 'x-stamp': stamp, 'user-agent': userAgent }, body, () => clientAddress, admitted);
        return resultIn(answer, activity);
      } catch (error) {
        throw isClosed(error, type) ? closed() : error;
      }
    },
  };
}

/**
 * Rejects pages of other origins than the configured ones, and lets the others read the response.
 * SECURITY: D846: browsers send a simple request before they ask, so it is rejected before it has an effect, not only made unreadable.
 */
export function requireOrigin(
  { id, records }: Snapshot,
  { origin, allowOrigin }: Pick<RelayRequest, 'origin' | 'allowOrigin'>,
): void {
  const config = records.authProxy.get(id);
  if (config === undefined || origin === undefined) return;
  if (!(config.allowedOrigins ?? []).includes(origin)) {
    throw new ServiceError(
      'ORIGIN_NOT_ALLOWED',
      'This page may not use the auth proxy: its origin is not in allowedOrigins of update_auth_proxy_config.',
    );
  }
  allowOrigin();
}

/** SECURITY: members may learn who froze the organization in a request of these types, so strangers must not get its error. */
const additionalTypes: ReadonlySet<string> = new Set(Object.values(proxiedTypes));

/** SECURITY: a denial by policies, or of the key, must not reveal the policies or the sign-in user. */
function isClosed(error: unknown, type: string): boolean {
  if (!(error instanceof ServiceError)) return false;
  if (error.code === 'FROZEN') return additionalTypes.has(type);
  return error.code === 'POLICY_DENIED' || errorCodes[error.code].status === 401;
}

export function closed(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'Signing in here requires a passkey or an API key: the organization does not exist, or its root quorum has not turned on sign-in by email code and OpenID Connect.',
  );
}

/** The result of an executed activity. A pending one does not sign in. */
function resultIn(answer: unknown, activity: string): RelayedResult {
  const { id, status, result } = (answer as { activity: SubmittedActivity }).activity;
  if (status !== 'ACTIVITY_STATUS_COMPLETED') throw closed();
  return { activityId: id, result: result.activity.result[`${activity}Result`] ?? {} };
}

interface SubmittedActivity {
  readonly id: string;
  readonly status: string;
  readonly result: { readonly activity: { readonly result: Readonly<Record<string, object>> } };
}
