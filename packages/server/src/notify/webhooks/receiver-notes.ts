import { LRUCache } from 'lru-cache';
import { lazyLru } from '../../admission/index.ts';
import type { EndpointKey, Store } from '../../store/store.ts';
import type { DeliveryError } from '../delivery/delivery-error.ts';

/** Records the outcome of deliveries, for the users who maintain an endpoint. */
export interface ReceiverNotes {
  delivered(endpoint: EndpointKey): void;
  failed(endpoint: EndpointKey, fault: DeliveryError): void;
  /** Stores the outcomes since the last save. `retryAtMs` is 0 unless events wait for a retry. */
  save(endpoint: EndpointKey, retryAtMs: number): Promise<void>;
}

interface ReceiverState {
  takenAtMs: number;
  failedAtMs: number;
  fault: string;
}

/** Minimum interval between saves while deliveries succeed. */
const SAVE_EVERY_MS = 1_000;
/** Longer error texts are truncated. */
const MAX_ERROR_LENGTH = 300;

export function createReceiverNotes(events: Pick<Store['events'], 'note'>, clock: { nowMs(): number }): ReceiverNotes {
  const states = new LRUCache<string, ReceiverState>(lazyLru(10_000));
  const savedWellAtMs = new LRUCache<string, number>(lazyLru(10_000));
  const of = ({ endpointId }: EndpointKey): ReceiverState => {
    const known = states.get(endpointId) ?? { takenAtMs: 0, failedAtMs: 0, fault: '' };
    states.set(endpointId, known);
    return known;
  };
  return {
    delivered(endpoint) {
      of(endpoint).takenAtMs = clock.nowMs();
    },
    failed(endpoint, { reason }) {
      const known = of(endpoint);
      known.failedAtMs = clock.nowMs();
      known.fault = reason.slice(0, MAX_ERROR_LENGTH);
    },
    async save(endpoint, retryAtMs) {
      const { listenerId: organizationId, endpointId } = endpoint;
      const known = states.get(endpointId);
      if (known === undefined) return;
      const isWell = known.failedAtMs === 0 && retryAtMs === 0;
      if (isWell && clock.nowMs() - (savedWellAtMs.get(endpointId) ?? 0) < SAVE_EVERY_MS) return;
      states.delete(endpointId);
      if (isWell) savedWellAtMs.set(endpointId, clock.nowMs());
      else savedWellAtMs.delete(endpointId);
      await events.note({ organizationId, endpointId, ...known, retryAtMs });
    },
  };
}
