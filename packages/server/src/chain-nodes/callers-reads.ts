import { ServiceError } from '@countersign/contract';
import type { JsonValue } from '@countersign/strict-json';
import { z } from 'zod';
import { createBuckets } from '../admission/rates.ts';
import type { ChainNodes } from './open-chain-nodes.ts';

/** Who asks for a read. */
export interface ReadingCaller {
  /** The top-level organization. */
  readonly tenantId: string;
  readonly userId: string;
}

/** A read whose parameters a caller chose. */
export interface CallersRead {
  readonly method: string;
  readonly params: readonly JsonValue[];
  /** How many reads of the budget it counts as. */
  readonly cost: number;
}

/** Reads of chains for callers, whose results are returned as the node gave them. */
export interface CallersReads {
  /** Throws NOT_OFFERED, RATE_LIMIT_EXCEEDED or CHAIN_UNAVAILABLE, and NodeRejection if the node rejects the call. */
  read(caller: ReadingCaller, chain: string, read: CallersRead): Promise<JsonValue>;
}

export interface CallersReadsLimits {
  /** Reads per second and user. 0: none are offered. */
  readonly perSecond: number;
  onLimit(limit: string): void;
  nowMs(): number;
}

const BURST_SECONDS = 5;
/** The budget of a tenant, in budgets of a user. Otherwise a tenant with many users would have the nodes for itself. */
const USERS_PER_TENANT = 5;
/** Reads that wait for nodes. Sending needs connections too. */
const MAX_IN_FLIGHT = 12;
const MAX_IN_FLIGHT_PER_TENANT = 4;
/** The longest response. */
const MAX_BYTES = 1_048_576;
/** This number of bytes of a response counts as one more read. */
const BYTES_PER_READ = 65_536;

/** Integers above 2^53 would lose digits in the response. Ethereum nodes write such numbers as text. */
const anyJson = z.custom<JsonValue>((value) => !hasBigint(value));

function hasBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasBigint);
}

/**
 * SECURITY: D942: nodes are paid for or shared by all tenants. Each user and each tenant has a budget, and few reads wait at a time, so that
 * slow ones take neither the connections of other tenants nor those of sending.
 */
export function createCallersReads(
  nodes: Pick<ChainNodes, 'of'>,
  { perSecond, onLimit, nowMs }: CallersReadsLimits,
): CallersReads {
  const ofUsers = createBuckets({ perSecond, burstSeconds: BURST_SECONDS }, nowMs);
  const ofTenants = createBuckets({ perSecond: perSecond * USERS_PER_TENANT, burstSeconds: BURST_SECONDS }, nowMs);
  const inFlight = new Map<string, number>();
  let total = 0;

  function exceeded(limit: string, waitMs: number): ServiceError {
    onLimit(limit);
    return new ServiceError('RATE_LIMIT_EXCEEDED', `Too many reads of chains in a short time (${limit}). Retry later.`, {
      retryAtMs: Date.now() + waitMs,
    });
  }

  function take({ tenantId, userId }: ReadingCaller, cost: number): void {
    for (let taken = 0; taken < cost; taken++) {
      const userMs = ofUsers.take(`${tenantId}/${userId}`);
      if (userMs > 0) throw exceeded('rpcReadsPerUser', userMs);
      const tenantMs = ofTenants.take(tenantId);
      if (tenantMs > 0) throw exceeded('rpcReadsPerOrganization', tenantMs);
    }
    if (total >= MAX_IN_FLIGHT || (inFlight.get(tenantId) ?? 0) >= MAX_IN_FLIGHT_PER_TENANT)
      throw exceeded('rpcReadsInFlight', 1_000);
  }

  /** SECURITY: D1014: to parse and write a long response takes a process as long as hundreds of short ones. */
  function charge({ tenantId, userId }: ReadingCaller, bytes: number): void {
    const reads = Math.floor(bytes / BYTES_PER_READ);
    if (reads === 0) return;
    ofUsers.spend(`${tenantId}/${userId}`, reads);
    ofTenants.spend(tenantId, reads);
  }

  function count(tenantId: string, change: 1 | -1): void {
    const next = (inFlight.get(tenantId) ?? 0) + change;
    total += change;
    if (next === 0) inFlight.delete(tenantId);
    else inFlight.set(tenantId, next);
  }

  return {
    async read(caller, chain, { method, params, cost }) {
      const client = nodes.of(chain);
      if (perSecond === 0)
        throw new ServiceError(
          'NOT_OFFERED',
          'This server reads no chains for callers. Connect the tool to a node for reads. The operator can offer them with the setting rpcReadsPerUser.',
        );
      take(caller, cost);
      count(caller.tenantId, 1);
      try {
        const onBytes = (bytes: number) => charge(caller, bytes);
        return await client.call({ method, params, result: anyJson, isCallers: true, maxBytes: MAX_BYTES, onBytes });
      } finally {
        count(caller.tenantId, -1);
      }
    },
  };
}
