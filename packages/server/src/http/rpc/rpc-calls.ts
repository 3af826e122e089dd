import { defaultJsonLimits, JsonError, type JsonLimits, type JsonValue, readStrictJson } from '@countersign/strict-json';
import { RpcError } from './rpc-error.ts';

/** One call of a request. */
export interface RpcCall {
  readonly id: string | number;
  readonly method: string;
  readonly params: readonly JsonValue[];
}

/** SECURITY: D786: a batch is one request for admission, so it is short, and each of its calls counts. */
export const MAX_CALLS = 16;
const MAX_ID_LENGTH = 128;
const MAX_METHOD_LENGTH = 64;
/** Typed data has a few hundred values. The parameters of the activity are limited again. */
const LIMITS: JsonLimits = Object.freeze({ ...defaultJsonLimits, values: 20_000 });

/** The calls of a body (JSON-RPC 2.0 section 6). A malformed call becomes an error at the same position. */
export function readCalls(bytes: Uint8Array): { readonly isBatch: boolean; readonly calls: readonly (RpcCall | RpcError)[] } {
  const value = parse(bytes);
  if (!Array.isArray(value)) return { isBatch: false, calls: [readCall(value)] };
  if (value.length === 0) throw new RpcError('invalidRequest', 'The batch is empty.');
  if (value.length > MAX_CALLS)
    throw new RpcError(
      'invalidRequest',
      `A batch has at most ${MAX_CALLS} calls, and this one has ${value.length}. Send several requests.`,
    );
  return { isBatch: true, calls: value.map(readCall) };
}

function parse(bytes: Uint8Array): JsonValue {
  try {
    return readStrictJson(bytes, LIMITS);
  } catch (error) {
    if (error instanceof JsonError)
      throw new RpcError('parse', `The body is not strict JSON: ${error.message}`, undefined, { cause: error });
    throw error;
  }
}

function readCall(value: JsonValue): RpcCall | RpcError {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalid('A call is a JSON object.');
  const { jsonrpc, id, method, params = [], ...rest } = value as { readonly [name: string]: JsonValue };
  if (jsonrpc !== '2.0') return invalid('"jsonrpc" must be "2.0".');
  // A notification has no response, and everything here has a result.
  if (!isId(id)) return invalid('"id" must be an integer or a short text. Notifications are not accepted.');
  if (typeof method !== 'string' || method.length > MAX_METHOD_LENGTH) return invalid('"method" must be a short text.');
  if (!Array.isArray(params)) return invalid('"params" must be a list.');
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return invalid('A call has the members jsonrpc, id, method and params only.');
  return { id, method, params };
}

function isId(id: JsonValue | undefined): id is string | number {
  return typeof id === 'string' ? id.length <= MAX_ID_LENGTH : Number.isSafeInteger(id);
}

function invalid(message: string): RpcError {
  return new RpcError('invalidRequest', message);
}
