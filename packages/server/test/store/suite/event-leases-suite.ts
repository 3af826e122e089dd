import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { EndpointKey } from '../../../src/store/store.ts';
import type { Subject } from './describe-store.ts';

const leaseMs = 60_000;
const newEndpoint = (): EndpointKey => ({ listenerId: uuidv7(), endpointId: uuidv7() });

/** Only one process at a time delivers to an endpoint. */
export function eventLeasesSuite(subject: () => Subject): void {
  describe('leases on endpoints', () => {
    test('a lease belongs to one holder, for one endpoint', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      expect(await events.lease(endpoint, 'a', 100, leaseMs)).toBe(true);
      expect(await events.lease(endpoint, 'b', 100, leaseMs)).toBe(false);
      expect(await events.lease({ ...endpoint, endpointId: uuidv7() }, 'b', 100, leaseMs)).toBe(true);
    });

    test('its holder may extend or shorten it', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      await events.lease(endpoint, 'a', 100, leaseMs);
      expect(await events.lease(endpoint, 'a', 100 + leaseMs - 1, leaseMs)).toBe(true);
      expect(await events.lease(endpoint, 'b', 100 + 2 * leaseMs - 2, leaseMs)).toBe(false);
      expect(await events.lease(endpoint, 'a', 200, 10)).toBe(true);
      expect(await events.lease(endpoint, 'b', 210, leaseMs)).toBe(true);
    });

    test('an expired lease is free, and its old holder has lost it', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      await events.lease(endpoint, 'a', 100, leaseMs);
      expect(await events.lease(endpoint, 'b', 99 + leaseMs, leaseMs)).toBe(false);
      expect(await events.lease(endpoint, 'b', 100 + leaseMs, leaseMs)).toBe(true);
      expect(await events.lease(endpoint, 'a', 100 + leaseMs, leaseMs)).toBe(false);
    });

    test('a holder may renew an expired lease that nobody took', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      await events.lease(endpoint, 'a', 100, leaseMs);
      expect(await events.lease(endpoint, 'a', 100 + 5 * leaseMs, leaseMs)).toBe(true);
    });

    test('releasing frees it at once; a release by somebody else does nothing', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      await events.release(endpoint, 'nobody');
      await events.lease(endpoint, 'a', 100, leaseMs);
      await events.release(endpoint, 'b');
      expect(await events.lease(endpoint, 'b', 100, leaseMs)).toBe(false);
      await events.release(endpoint, 'a');
      expect(await events.lease(endpoint, 'b', 100, leaseMs)).toBe(true);
      await events.release(endpoint, 'a');
      expect(await events.lease(endpoint, 'a', 100, leaseMs)).toBe(false);
    });

    test('during a pause nobody gets the lease, and only its holder can set a pause', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      await events.lease(endpoint, 'a', 100, leaseMs);
      await events.pause(endpoint, 'b', 5_000);
      expect(await events.lease(endpoint, 'a', 101, leaseMs)).toBe(true);
      await events.pause(endpoint, 'a', 5_000);
      for (const holder of ['a', 'b']) expect(await events.lease(endpoint, holder, 4_999, leaseMs)).toBe(false);
      expect(await events.lease(endpoint, 'b', 5_000, leaseMs)).toBe(true);
    });

    test('waking ends a pause, but not a lease', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      await events.wake(endpoint.endpointId);
      await events.lease(endpoint, 'a', 100, leaseMs);
      await events.wake(endpoint.endpointId);
      expect(await events.lease(endpoint, 'b', 100, leaseMs)).toBe(false);
      await events.pause(endpoint, 'a', 5_000);
      await events.wake(endpoint.endpointId);
      expect(await events.lease(endpoint, 'b', 100, leaseMs)).toBe(true);
    });

    test('of many concurrent nodes exactly one gets it, whether it is new or expired', async () => {
      const { installation } = subject();
      const nodes = await Promise.all(Array.from({ length: 4 }, () => installation.open()));
      try {
        for (let round = 0; round < 5; round++) {
          const endpoint = newEndpoint();
          for (const nowMs of [100, 100 + leaseMs]) {
            const asked = nodes.flatMap((node, index) =>
              [0, 1, 2].map((more) => node.events.lease(endpoint, `${nowMs}/${index}/${more}`, nowMs, leaseMs)),
            );
            expect((await Promise.all(asked)).filter((taken) => taken)).toHaveLength(1);
          }
        }
      } finally {
        await Promise.all(nodes.map((node) => node.close()));
      }
    });
  });
}
