import type { IncomingHttpHeaders } from 'node:http';
import { activities, queries, ServiceError } from '@countersign/contract';
import type { JsonValue } from '@countersign/strict-json';
import type { AdmittedRequest } from '../../admission/index.ts';
import type { CertificateKey } from '../../auth/client-certificate.ts';
import type { CallersRead, CallersReads } from '../../chain-nodes/callers-reads.ts';
import { NodeRejection } from '../../chain-nodes/node-errors.ts';
import { turnkey } from '../../dialects/turnkey.ts';
import type { IpAddress } from '../../network/ip-address.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import type { RpcOperation } from '../../vault/keys/rpc-key.ts';
import { derSignature } from '../api/der-stamp.ts';
import type { Operate } from '../api/operations.ts';
import { type AskQuery, accountOf, addressesOf } from './rpc-accounts.ts';
import { findRpcCaller, type RpcCaller, readPresented, requireUsable } from './rpc-caller.ts';
import { readCalls } from './rpc-calls.ts';
import { ofNode, RpcError, rpcResponse, toRpcError } from './rpc-error.ts';
import { answerMethod, noChain, type RpcContext, type RpcSigning } from './rpc-methods.ts';
import { type RpcTarget, readRpcPath } from './rpc-path.ts';
import { nextNonceOf, pay } from './rpc-pay.ts';
import { placeOf } from './same-request.ts';

/** A request of the JSON-RPC endpoint, with its body. */
export interface RpcRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  readonly clientAddress: IpAddress | undefined;
  readonly admitted: AdmittedRequest;
  /** The certificate that credentials are bound to, if the service binds them. */
  readonly certificateKey: CertificateKey;
  /** The certificate that the connection proved, if it can replace a token. */
  readonly certificate: string | undefined;
}

export type AnswerRpc = (request: RpcRequest) => Promise<unknown>;

export interface RpcServices {
  readonly services: Pick<PipelineServices, 'vault' | 'organizations' | 'clock' | 'log' | 'sending'>;
  /** Reads of chains. */
  readonly reads: CallersReads;
  /** Executes stamped requests. */
  readonly operate: Operate;
  /** How long a request waits for approvals. */
  readonly approvalSeconds: number;
  /** Whether an error is one of the caller's, or a bug that is logged. */
  expected(error: unknown): ServiceError;
}

/** The parts of an activity that the endpoint reads, as the compatible dialect shows it. */
interface ShownActivity {
  readonly id: string;
  readonly status: string;
  readonly fingerprint: string;
  readonly result: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly failure?: { readonly message: string } | null;
}

const KEY_HEADER = 'idempotency-key';
const KEY = /^[\x21-\x7e]{1,128}$/;

/**
 * Signs for tools that speak JSON-RPC. It is a client of this service in the same process: the vault stamps the body of an activity or a
 * query, and the endpoint submits it. Policies of the organization decide about the user of the RPC key.
 */
export function rpcEndpoint({ services, reads, operate, approvalSeconds, expected }: RpcServices): AnswerRpc {
  const { vault, organizations, clock } = services;
  const { resources } = organizations;

  /** Stamps and submits. The stamp is verified like any other. */
  async function stamped(request: RpcRequest, caller: RpcCaller, operation: RpcOperation): Promise<unknown> {
    const { body, signature } = await vault.service.signRpc(caller, operation);
    const headers = { 'x-stamp': `${caller.publicKey}.${Buffer.from(derSignature(signature)).toString('hex')}` };
    const route =
      'activity' in operation
        ? ({ kind: 'submit', dialect: turnkey, definition: activities[operation.activity] } as const)
        : ({ kind: 'query', dialect: turnkey, definition: queries[operation.query] } as const);
    const { clientAddress, admitted, certificateKey } = request;
    return operate(route, headers, body, () => clientAddress, admitted, certificateKey);
  }

  function queryOf(request: RpcRequest, caller: RpcCaller): AskQuery {
    return (query, parameters) => stamped(request, caller, { query, timestampMs: clock.nowMs(), parameters });
  }

  async function sign(request: RpcRequest, caller: RpcCaller, { activity, parameters, show }: RpcSigning, untilMs: number) {
    const place = await placeOf(services, caller, { activity, parameters }, idempotencyKeyIn(request.headers));
    const read = async (activityId: string) =>
      ((await queryOf(request, caller)('getActivity', { activityId })) as { readonly activity: ShownActivity }).activity;
    const found =
      'earlier' in place
        ? await read(place.earlier.id)
        : (
            (await stamped(request, caller, { activity, parameters, timestampMs: place.timestampMs })) as {
              readonly activity: ShownActivity;
            }
          ).activity;
    if (found.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') return resultOf(found, caller, show);
    await waitFor(services, request, caller, found.fingerprint, untilMs);
    return resultOf(await read(found.id), caller, show);
  }

  return async function answer(request) {
    const { admitted, headers, certificate } = request;
    const target = readRpcPath(request.path);
    const presented = readPresented(headers, target.organizationId, certificate);
    admitted.claim(presented.presents);
    await admitted.turn();
    let caller: RpcCaller;
    try {
      caller = await findRpcCaller(services, admitted, presented);
    } catch (error) {
      throw admitted.failed(error);
    }
    const untilMs = performance.now() + approvalSeconds * 1000;
    const context: RpcContext = {
      chainId: target.chainId,
      async account(from, name) {
        requireUsable(caller, request.clientAddress);
        return accountOf(resources, caller.organization, target.key, from, name);
      },
      async addresses() {
        requireUsable(caller, request.clientAddress);
        return addressesOf(resources, caller.organization, target.key, queryOf(request, caller));
      },
      sign: (signing) => sign(request, caller, signing, untilMs),
      pay: (payment) => {
        const keyHeader = idempotencyKeyIn(headers);
        return pay({ services, caller, keyHeader, sign: (signing) => sign(request, caller, signing, untilMs) }, payment);
      },
      async read(read) {
        requireUsable(caller, request.clientAddress);
        return readFor({ services, reads }, caller, target, read);
      },
    };
    return answerCalls(request, context, expected);
  };
}

/** Asks a node of the chain in the path. */
async function readFor(
  { services, reads }: Pick<RpcServices, 'services' | 'reads'>,
  caller: RpcCaller,
  { key, chainId }: RpcTarget,
  read: CallersRead,
): Promise<JsonValue> {
  if (chainId === undefined) throw noChain();
  const chain = `eip155:${chainId}`;
  const { organizationId, organization, userId } = caller;
  const tenantId = organization.profile.parentId ?? organizationId;
  const found = await reads.read({ tenantId, userId }, chain, read).catch(asNodeError);
  const [address, block] = read.params;
  if (read.method !== 'eth_getTransactionCount' || block !== 'pending') return found;
  const own = await accountOf(services.organizations.resources, organization, key, address, 'the address').catch(ifNotOwn);
  if (own === undefined) return found;
  return `0x${(await nextNonceOf(services, caller, { chain, address: own.address }, Number(found))).toString(16)}`;
}

/** Tools read the errors of nodes, for example why a contract reverts. */
function asNodeError(error: unknown): never {
  throw error instanceof NodeRejection ? ofNode(error) : error;
}

function ifNotOwn(error: unknown): undefined {
  if (!(error instanceof RpcError || error instanceof ServiceError)) throw error;
}

/** Waits until an activity is not pending, or until `untilMs`. A request that finds too many others waiting does not wait. */
async function waitFor(
  { organizations, log }: Pick<PipelineServices, 'organizations' | 'log'>,
  { admitted }: RpcRequest,
  { organizationId, userId }: RpcCaller,
  fingerprint: string,
  untilMs: number,
): Promise<void> {
  const ms = untilMs - performance.now();
  if (ms <= 0) return;
  const isPending = async () =>
    (await organizations.activities.byFingerprint(organizationId, fingerprint))?.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
  let wait: ReturnType<typeof log.longPoll.begin>;
  try {
    // SECURITY: D788: the waits of a user and of an organization are bounded.
    const { isGone } = admitted;
    wait = log.longPoll.begin({ userId, homeId: organizationId, organizationId, from: 0, ms, isGone });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'RATE_LIMIT_EXCEEDED') return;
    throw error;
  }
  try {
    while ((await isPending()) && (await wait.next()));
  } finally {
    wait.end();
  }
  await admitted.turn();
}

/** Answers the calls of a body in order. Its errors are responses too. */
async function answerCalls(
  { bytes, admitted }: Pick<RpcRequest, 'bytes' | 'admitted'>,
  context: RpcContext,
  expected: RpcServices['expected'],
): Promise<unknown> {
  const outcomeOf = async (work: () => Promise<unknown>): Promise<unknown> => {
    try {
      return await work();
    } catch (error) {
      return error instanceof RpcError ? error : toRpcError(expected(error));
    }
  };
  const read = await outcomeOf(async () => readCalls(bytes));
  if (read instanceof RpcError) return rpcResponse(null, read);
  const { calls, isBatch } = read as ReturnType<typeof readCalls>;
  const responses: unknown[] = [];
  for (const [index, call] of calls.entries()) {
    if (call instanceof RpcError) responses.push(rpcResponse(null, call));
    else {
      const { id, method, params } = call;
      const outcome = await outcomeOf(async () => {
        if (index > 0) admitted.count();
        return answerMethod(context, method, params);
      });
      responses.push(rpcResponse(id, outcome));
    }
  }
  return isBatch ? responses : responses[0];
}

function idempotencyKeyIn(headers: IncomingHttpHeaders): string {
  const key = headers[KEY_HEADER] ?? '';
  if (key === '' || (typeof key === 'string' && KEY.test(key))) return key;
  throw new RpcError('invalidRequest', 'Idempotency-Key must be 1 to 128 printable characters without spaces, and sent once.');
}

/** The result of a call, or the error for an activity that has none. */
function resultOf(
  { id: activityId, status, fingerprint, result, failure }: ShownActivity,
  { organizationId }: RpcCaller,
  show: RpcSigning['show'],
): unknown {
  const data = { organizationId, activityId, fingerprint };
  if (status === 'ACTIVITY_STATUS_COMPLETED') return show(Object.values(result)[0] ?? {});
  if (status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED')
    throw new RpcError(
      'pending',
      `Activity ${activityId} waits for approvals (fingerprint ${fingerprint}). Send the same request again for its result: it creates no second activity.`,
      data,
    );
  if (status === 'ACTIVITY_STATUS_REJECTED')
    throw new RpcError(
      'rejected',
      `Activity ${activityId} was rejected. To ask the approvers again, send the request with another Idempotency-Key header.`,
      data,
    );
  throw new RpcError('unauthorized', failure?.message ?? `Activity ${activityId} failed.`, data);
}
