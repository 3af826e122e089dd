import type { EndpointKey } from '../../store/store.ts';

/** The endpoints of this process whose queues are full, and the events that they lost because of it. */
export interface FullQueues {
  /** Whether an endpoint gets no more events now. If so, counts one as lost. */
  refuses(endpointId: string): boolean;
  isFull(endpointId: string): boolean;
  mark(endpoint: EndpointKey, isFull: boolean): void;
  /** The endpoints that lost events since the last call, and how many. */
  takeLost(): readonly { readonly endpoint: EndpointKey; readonly count: number }[];
}

export function createFullQueues(): FullQueues {
  const full = new Map<string, { readonly endpoint: EndpointKey; count: number }>();
  const left: { endpoint: EndpointKey; count: number }[] = [];
  return {
    refuses(endpointId) {
      const queue = full.get(endpointId);
      if (queue !== undefined) queue.count += 1;
      return queue !== undefined;
    },
    isFull: (endpointId) => full.has(endpointId),
    mark(endpoint, isFull) {
      const queue = full.get(endpoint.endpointId);
      if (isFull) full.set(endpoint.endpointId, queue ?? { endpoint, count: 0 });
      else if (full.delete(endpoint.endpointId) && queue !== undefined) left.push(queue);
    },
    takeLost() {
      const lost = [...left.splice(0), ...full.values()].filter(({ count }) => count > 0).map((queue) => ({ ...queue }));
      for (const queue of full.values()) queue.count = 0;
      return lost;
    },
  };
}
