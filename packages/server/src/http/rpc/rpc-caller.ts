import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { organizationOfRpcToken, ServiceError } from '@countersign/contract';
import { expired } from '@countersign/judgement';
import type { AdmittedRequest } from '../../admission/index.ts';
import { requireAdmitted } from '../../auth/ip-allowlist.ts';
import type { IpAddress } from '../../network/ip-address.ts';
import { rpcKeysByPresented } from '../../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { requireUnfrozen } from '../../pipeline/execute/denial.ts';
import type { PipelineServices } from '../../pipeline/services.ts';

/** What a request presents: a token or the key of a client certificate. Not verified. */
export interface Presented {
  readonly organizationId: string;
  /** The SHA-256 of the token, or the public key of the certificate. */
  readonly presents: string;
}

/** The holder of an RPC key. */
export interface RpcCaller extends Presented {
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: string;
  readonly organization: Snapshot;
}

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;
const BASIC = /^Basic +([A-Za-z0-9+/=]+)$/i;

/** The token in `Authorization`: a bearer token, or the password of basic authentication, which tools send for `https://user:token@host`. */
function tokenIn({ authorization }: IncomingHttpHeaders): string | undefined {
  if (authorization === undefined) return undefined;
  const basic = BASIC.exec(authorization)?.[1];
  if (basic === undefined) return BEARER.exec(authorization)?.[1] ?? '';
  const text = Buffer.from(basic, 'base64').toString('latin1');
  return text.slice(text.indexOf(':') + 1);
}

/**
 * Reads what a request presents. Throws RPC_CREDENTIAL_INVALID if there is nothing, or nothing that can be valid.
 * SECURITY: D787: `certificate` is the key of the TLS handshake. No header names a certificate.
 */
export function readPresented(
  headers: IncomingHttpHeaders,
  organizationId: string | undefined,
  certificate: string | undefined,
): Presented {
  const token = tokenIn(headers);
  if (token !== undefined) {
    const named = organizationOfRpcToken(token);
    if (named === undefined || (organizationId !== undefined && organizationId !== named)) throw invalid();
    return { organizationId: named, presents: hash('sha256', token) };
  }
  if (certificate === undefined || certificate === '') throw invalid();
  if (organizationId === undefined)
    throw new ServiceError(
      'RPC_CREDENTIAL_INVALID',
      'A request with a client certificate names its organization in the path: /rpc/<organization>/<key>.',
    );
  return { organizationId, presents: certificate };
}

/**
 * Finds the RPC key of what a request presents. The stamp that the service then makes is verified like any other, with expiry, IP
 * allowlists, freezes and everything else that applies to API keys.
 * SECURITY: D782: an unknown organization, an unknown token and an expired one get the same response after the same reads. The token is
 * found by its hash, so the timing reveals nothing about other tokens.
 */
export async function findRpcCaller(
  { organizations, clock }: Pick<PipelineServices, 'organizations' | 'clock'>,
  admitted: Pick<AdmittedRequest, 'read'>,
  { organizationId, presents }: Presented,
): Promise<RpcCaller> {
  const organization = await admitted.read(() => organizations.snapshots.current(organizationId));
  const [found] = organization === undefined ? [] : (rpcKeysByPresented(organization.apiKeys).get(presents) ?? []);
  const [credentialId = '', key] = found ?? [];
  if (organization === undefined || key === undefined || expired(key, clock.nowMs()) || !organization.users.has(key.userId))
    throw invalid();
  return { organizationId, presents, userId: key.userId, credentialId, publicKey: key.publicKey, organization };
}

/**
 * Refuses a caller whose stamp would be refused.
 * SECURITY: D794: before anything is looked up that a call names, so that a stolen token does not tell which keys exist.
 */
export function requireUsable({ organization, userId, credentialId }: RpcCaller, address: IpAddress | undefined): void {
  const { id: organizationId, records } = organization;
  requireAdmitted(records.ipAllowlist, { organizationId, credentialId, clientAddress: () => address });
  requireUnfrozen(organization, userId);
}

function invalid(): ServiceError {
  return new ServiceError(
    'RPC_CREDENTIAL_INVALID',
    'Send a token that is registered with create_rpc_keys and has not expired: "Authorization: Bearer <token>". Or connect with a registered client certificate, if this service accepts them.',
  );
}
