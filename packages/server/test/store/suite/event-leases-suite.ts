import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { EndpointKey } from '../../../src/store/store.ts';
import type { Subject } from './describe-store.ts';

const leaseMs = 60_000;
const newEndpoint = (): EndpointKey => ({ listenerId: uuidv7(), endpointId: uuidv7() });

/** One process at a time delivers to an endpoint, however many there are. */
export function eventLeasesSuite(subject: () => Subject): void {
  describe('leases on endpoints', () => {
    test('a lease is one holder’s, for one endpoint', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      expect(await events.lease(endpoint, 'a', 100, leaseMs)).toBe(true);
      expect(await events.lease(endpoint, 'b', 100, leaseMs)).toBe(false);
      expect(await events.lease({ ...endpoint, endpointId: uuidv7() }, 'b', 100, leaseMs)).toBe(true);
    });

    test('its holder may keep it for longer, or for less', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      await events.lease(endpoint, 'a', 100, leaseMs);
      expect(await events.lease(endpoint, 'a', 100 + leaseMs - 1, leaseMs)).toBe(true);
      expect(await events.lease(endpoint, 'b', 100 + 2 * leaseMs - 2, leaseMs)).toBe(false);
      expect(await events.lease(endpoint, 'a', 200, 10)).toBe(true);
      expect(await events.lease(endpoint, 'b', 210, leaseMs)).toBe(true);
    });

    test('a lease that ran out is anybody’s, and the old holder has lost it', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      await events.lease(endpoint, 'a', 100, leaseMs);
      expect(await events.lease(endpoint, 'b', 99 + leaseMs, leaseMs)).toBe(false);
      expect(await events.lease(endpoint, 'b', 100 + leaseMs, leaseMs)).toBe(true);
      expect(await events.lease(endpoint, 'a', 100 + leaseMs, leaseMs)).toBe(false);
    });

    test('a lease that ran out and was not taken may be kept by its holder', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      await events.lease(endpoint, 'a', 100, leaseMs);
      expect(await events.lease(endpoint, 'a', 100 + 5 * leaseMs, leaseMs)).toBe(true);
    });

    test('releasing lets others in at once; by somebody else it does nothing', async () => {
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

    test('a pause is kept from everybody until its end, and only its holder can make one', async () => {
      const { events } = subject().store;
      const endpoint = newEndpoint();
      await events.lease(endpoint, 'a', 100, leaseMs);
      await events.pause(endpoint, 'b', 5_000);
      expect(await events.lease(endpoint, 'a', 101, leaseMs)).toBe(true);
      await events.pause(endpoint, 'a', 5_000);
      for (const holder of ['a', 'b']) expect(await events.lease(endpoint, holder, 4_999, leaseMs)).toBe(false);
      expect(await events.lease(endpoint, 'b', 5_000, leaseMs)).toBe(true);
    });

    test('waking ends a pause, and no lease', async () => {
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

    test('of many nodes that ask at once, exactly one gets it: a new one, and one that ran out', async () => {
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
