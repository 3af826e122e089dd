import { ServiceError } from '@countersign/contract';
import { LRUCache } from 'lru-cache';
import { createBuckets } from '../admission/rates.ts';
import type { ChainNamespace } from '../config/chain-endpoints.ts';
import type { ChainClient } from './chain-client.ts';
import type { Call } from './endpoint.ts';
import { NodeRejection } from './node-errors.ts';
import type { ChainNodes } from './open-chain-nodes.ts';

/** Reads one chain for queries. Like a `ChainClient`, but a call that the node rejects is CHAIN_UNAVAILABLE, with the rejection as cause. */
export interface ChainReader extends Pick<ChainClient, 'chain' | 'namespace' | 'call' | 'every' | 'agree'> {
  readonly namespace: ChainNamespace;
  /** The most blocks that one call may search for events. */
  readonly historyBlocks: number;
}

/** Reads of chains for queries, which organizations can ask for as often as they want. */
export interface ChainReads {
  /** The reader of a chain within the budget of a tenant. Throws NOT_OFFERED for a chain without an endpoint. */
  of(tenantId: string, chain: string): ChainReader;
}

export interface ReadLimits {
  /** Requests to endpoints per second and tenant. 0: no limit. */
  readonly perSecond: number;
  /** The most blocks that one call may search for events. */
  readonly historyBlocks: number;
  /** Called with the name of a limit that was exceeded. */
  onLimit(limit: string): void;
  nowMs(): number;
}

/** How long a result is shown to others who ask the same. Shorter than most blocks. */
const FRESH_MS = 2_000;
const MAX_RESULTS = 1_000;
const BURST_SECONDS = 5;
/** Requests of all tenants that wait for endpoints. Sending has its own connections. */
const MAX_IN_FLIGHT = 16;

/**
 * SECURITY: D764: nodes are paid for or shared by all tenants. Each tenant has a budget of requests, equal reads share one request, and few
 * reads wait at a time.
 */
export function createChainReads(nodes: Pick<ChainNodes, 'of'>, limits: ReadLimits): ChainReads {
  const { perSecond, historyBlocks, onLimit, nowMs } = limits;
  const budget = createBuckets({ perSecond, burstSeconds: BURST_SECONDS }, nowMs);
  const results = new LRUCache<string, Promise<unknown>>({ max: MAX_RESULTS, ttl: FRESH_MS, perf: { now: () => nowMs() + 1 } });
  let inFlight = 0;

  function take(tenantId: string, requests: number): void {
    for (let taken = 0; taken < requests; taken++) {
      const waitMs = budget.take(tenantId);
      if (waitMs > 0) throw exceeded('chainReadsPerOrganization', waitMs);
    }
    if (inFlight + requests > Math.max(MAX_IN_FLIGHT, requests)) throw exceeded('chainReadsInFlight', 1_000);
  }

  function exceeded(limit: string, waitMs: number): ServiceError {
    onLimit(limit);
    return new ServiceError(
      'RATE_LIMIT_EXCEEDED',
      `Too many reads of chains in a short time (${limit}). Retry after the time in Retry-After.`,
      {
        retryAtMs: Date.now() + waitMs,
      },
    );
  }

  async function counted<T>(client: ChainClient, requests: number, method: string, send: () => Promise<T>): Promise<T> {
    inFlight += requests;
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof NodeRejection)) throw error;
      throw new ServiceError('CHAIN_UNAVAILABLE', `The node of ${client.chain} rejected ${method}.`, {
        cause: error,
        reason: error.message,
      });
    } finally {
      inFlight -= requests;
    }
  }

  return {
    of(tenantId, chain) {
      const client = nodes.of(chain);
      /** INVARIANT: calls with the same method and variant have the same schema, because a result is shared between them. */
      const read = <T, R>(how: 'call' | 'every' | 'agree', call: Call<T>, send: () => Promise<R>): Promise<R> => {
        const key = JSON.stringify([chain, how, call.method, call.params, call.variant]);
        const known = results.get(key);
        if (known !== undefined) return known as Promise<R>;
        const requests = how === 'call' ? 1 : client.endpoints;
        take(tenantId, requests);
        const result = counted(client, requests, call.method, send);
        results.set(key, result);
        result.catch(() => {
          if (results.get(key) === result) results.delete(key);
        });
        return result;
      };
      return {
        chain,
        namespace: client.namespace,
        historyBlocks,
        call: async (call) => read('call', call, () => client.call(call)),
        every: async (call) => read('every', call, () => client.every(call)),
        agree: async (call) => read('agree', call, () => client.agree(call)),
      };
    },
  };
}
