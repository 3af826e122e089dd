import { createBuckets } from '../admission/rates.ts';
import type { ChainClient } from './chain-client.ts';

/** The shares of tenants in the nodes of chains, for one purpose. */
export interface NodeShares {
  /** A client whose requests count in the share of a tenant. */
  of(client: ChainClient, tenantId: string): ChainClient;
  /** How long a tenant that used up its share must wait before it begins something new. 0 if it may begin. */
  waitMs(tenantId: string): number;
}

interface ShareLimits {
  /** Requests to endpoints per second and tenant. 0: no limit. */
  readonly perSecond: number;
  nowMs(): number;
}

const BURST_SECONDS = 5;
/** Calls of a tenant to the nodes of one chain at a time. Much less than the connections to one endpoint, so that a slow one is not occupied by one tenant. */
const MAX_RUNNING = 8;
/** More calls than this wait only if the tenant began too much. */
const MAX_WAITING = 128;
const CROWDED_MS = 1_000;

/** The calls of a tenant to the nodes of one chain, some of which wait for others. */
interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * SECURITY: D900, D901: the nodes are shared by all tenants. What a tenant began is finished, and its requests count: until its budget has
 * recovered, it begins nothing new.
 */
export function createNodeShares({ perSecond, nowMs }: ShareLimits): NodeShares {
  const budget = createBuckets({ perSecond, burstSeconds: BURST_SECONDS }, nowMs);
  const lanes = new Map<string, Map<string, Lane>>();

  async function inTurn<T>(tenantId: string, chain: string, work: () => Promise<T>): Promise<T> {
    const chains = lanes.get(tenantId) ?? new Map<string, Lane>();
    lanes.set(tenantId, chains);
    const lane = chains.get(chain) ?? { running: 0, waiting: [] };
    chains.set(chain, lane);
    if (lane.running < MAX_RUNNING) lane.running += 1;
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = lane.waiting.shift();
      if (next !== undefined) next();
      else lane.running -= 1;
      if (lane.running === 0) chains.delete(chain);
      if (chains.size === 0) lanes.delete(tenantId);
    }
  }

  return {
    of(client, tenantId) {
      const counted = <T>(requests: number, work: () => Promise<T>) => {
        budget.spend(tenantId, requests);
        return inTurn(tenantId, client.chain, work);
      };
      return {
        ...client,
        call: (call) => counted(1, () => client.call(call)),
        callAll: (call) => counted(client.endpoints, () => client.callAll(call)),
        every: (call) => counted(client.endpoints, () => client.every(call)),
        agree: (call) => counted(client.endpoints, () => client.agree(call)),
      };
    },
    waitMs(tenantId) {
      const isCrowded = [...(lanes.get(tenantId)?.values() ?? [])].some(({ waiting }) => waiting.length >= MAX_WAITING);
      return Math.max(budget.waitOf(tenantId), isCrowded ? CROWDED_MS : 0);
    },
  };
}
