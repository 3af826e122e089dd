import { activities, queries, rpcOperations } from '@countersign/contract';
import { VaultError } from '../errors.ts';
import type { Secret } from './secret.ts';
import { openStampingKeys, requireOrganization } from './stamping-keys.ts';

/** What an RPC key stands for: the organization, and what callers present (`presents` of its record). */
export interface RpcKeyName {
  readonly organizationId: string;
  readonly presents: string;
}

/** An operation of `rpcOperations` that a caller of the JSON-RPC endpoint asks for. */
export type RpcOperation =
  | {
      readonly activity: (typeof rpcOperations.activities)[number];
      readonly timestampMs: number;
      readonly parameters: Readonly<Record<string, unknown>>;
    }
  | {
      readonly query: (typeof rpcOperations.queries)[number];
      readonly timestampMs: number;
      readonly parameters: Readonly<Record<string, unknown>>;
    };

/** A body, and r and s of the signature over its SHA-256. */
export interface SignedRpc {
  readonly body: Uint8Array;
  readonly signature: Uint8Array;
}

/** The RPC keys: one P-256 key for each token and certificate of an organization. After `wipe` they sign nothing. */
export interface RpcKeys {
  /** Compressed, in hexadecimal. */
  publicKey(name: RpcKeyName): string;
  /**
   * SECURITY: D780: signs no bytes from outside. It writes the body itself, so that an RPC key never stamps anything but the operations in
   * `rpcOperations`, in the organization that the key is of.
   */
  sign(name: RpcKeyName, operation: RpcOperation): SignedRpc;
  wipe(): void;
}

const PRESENTED = /^[0-9a-f]{64,66}$/;
const signedActivities: ReadonlySet<string> = new Set(rpcOperations.activities);
const signedQueries: ReadonlySet<string> = new Set(rpcOperations.queries);

/** The body of an operation up to its time, which is last: bodies that differ in their times have the same beginning. */
export function rpcBodyStart(organizationId: string, operation: RpcOperation): string {
  const { parameters } = operation;
  const members =
    'activity' in operation
      ? { type: activities[operation.activity].type, organizationId, parameters }
      : { operation: queries[operation.query].path, ...parameters, organizationId };
  return `${JSON.stringify(members).slice(0, -1)},"timestampMs":"`;
}

/** The end of a body that begins with `rpcBodyStart`. */
export const rpcBodyEnd = (timestampMs: number): string => `${timestampMs}"}`;

export function openRpcKeys(integrityKey: Secret): RpcKeys {
  const keys = openStampingKeys(integrityKey, 'rpc');

  function nameOf({ organizationId, presents }: RpcKeyName): string {
    requireOrganization(organizationId, 'rpc');
    if (!PRESENTED.test(presents)) throw new VaultError('an rpc key stands for a hash or a public key', 'pass it in hexadecimal');
    return `${organizationId}/${presents}`;
  }

  return Object.freeze<RpcKeys>({
    publicKey: (name) => keys.publicKey(nameOf(name)),
    sign(name, operation) {
      const isKnown = 'activity' in operation ? signedActivities.has(operation.activity) : signedQueries.has(operation.query);
      if (!isKnown) throw new VaultError('an rpc key does not sign this operation', 'use a credential of a user');
      const body = Buffer.from(`${rpcBodyStart(name.organizationId, operation)}${rpcBodyEnd(operation.timestampMs)}`, 'utf8');
      return { body, signature: keys.sign(nameOf(name), body) };
    },
    wipe: keys.wipe,
  });
}
