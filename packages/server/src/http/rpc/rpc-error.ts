import { type ErrorCode, errorCodes, type ServiceError } from '@countersign/contract';
import type { NodeRejection } from '../../chain-nodes/node-errors.ts';

/** A request without these keys in `data` has none of them. */
export interface RpcErrorData {
  readonly errorCode?: ErrorCode;
  readonly organizationId?: string;
  readonly activityId?: string;
  readonly fingerprint?: string;
  readonly transactionHash?: string;
  readonly replacedBy?: string;
  readonly violations?: readonly unknown[];
}

/**
 * The codes of errors: JSON-RPC 2.0 section 5.1, EIP-1474 (-32003 to -32005) and EIP-1193 (4001, 4100). Wallets report a request that waits
 * for a person with -32002.
 */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  pending: -32002,
  transactionRejected: -32003,
  methodNotSupported: -32004,
  limitExceeded: -32005,
  rejected: 4001,
  unauthorized: 4100,
} as const;

/** An error of one call. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: RpcErrorData | string | undefined;

  constructor(code: keyof typeof rpcCodes | number, message: string, data?: RpcErrorData | string, options?: ErrorOptions) {
    super(message, options);
    this.code = typeof code === 'number' ? code : rpcCodes[code];
    this.data = data;
  }
}

/** Bytes that a contract returns with an error. */
const REVERT_DATA = /^0x[0-9a-f]{0,20000}$/i;

/** The error of a node as that of a call. Tools read from `data` why the execution of a contract failed. */
export function ofNode({ code, message, data }: NodeRejection): RpcError {
  const isData = typeof data === 'string' && REVERT_DATA.test(data);
  return new RpcError(code, message, isData ? data : undefined);
}

const codeOfStatus: Readonly<Record<number, keyof typeof rpcCodes>> = {
  400: 'invalidParams',
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'invalidParams',
  409: 'limitExceeded',
  410: 'invalidParams',
  413: 'invalidRequest',
  415: 'invalidRequest',
  429: 'limitExceeded',
  501: 'methodNotSupported',
  503: 'limitExceeded',
};

/** An error of the service as that of a call. */
export function toRpcError({ code: errorCode, message, activityId, violations }: ServiceError): RpcError {
  const code = codeOfStatus[errorCodes[errorCode].status] ?? 'internal';
  const data = { errorCode, ...(activityId && { activityId }), ...(violations.length > 0 && { violations }) };
  return new RpcError(code, message, data);
}

/** The body of a response that no call of the request can be named in. */
export function rpcFailure(error: ServiceError): Readonly<Record<string, unknown>> {
  return rpcResponse(null, toRpcError(error));
}

/** The response to one call. */
export function rpcResponse(id: string | number | null, outcome: unknown): Readonly<Record<string, unknown>> {
  if (!(outcome instanceof RpcError)) return { jsonrpc: '2.0', id, result: outcome };
  const { code, message, data } = outcome;
  return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } };
}

/** The error for a wrong parameter. */
export function wrongParams(message: string, options?: ErrorOptions): RpcError {
  return new RpcError('invalidParams', message, undefined, options);
}
