import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DeliveryError } from '../../../src/notify/delivery/delivery-error.ts';
import type { Snapshot } from '../../../src/organizations/snapshot/snapshot.ts';
import { createOrganization } from '../../store/rows.ts';
import { DispatcherScene, type Sent } from './dispatcher-scene.ts';
import { organizationWith } from './organization.ts';

const bodies = (sent: readonly Pick<Sent, 'body'>[]) => sent.map(({ body }) => body);
const numbered = (count: number, name = '') => Array.from({ length: count }, (_, index) => `${name}${index}`);
const later = () => {
  throw new DeliveryError('busy', false);
};
const isEmpty = async ({ store }: DispatcherScene) => (await store.events.due(Number.MAX_SAFE_INTEGER, 1)).endpoints.length === 0;

/** Stops the renewals of leases until the result moves the clock, and them with it. */
function stopTheRenewals(scene: DispatcherScene): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => {
    scene.advance(ms);
    vi.advanceTimersByTime(ms);
  };
}

describe('delivering events', () => {
  test('an organization’s events are delivered in the order of their commits, and leave the queue', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    await scene.put(parent, 'a', parent, ...numbered(150));
    scene.start();
    await expect.poll(() => isEmpty(scene)).toBe(true);
    expect(bodies(scene.taken)).toEqual(numbered(150));
    expect(scene.outcomes).toEqual(Array(150).fill('delivered'));
  });

  test('events of one organization never overlap; those of several are delivered side by side', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    const children = await Promise.all([1, 2, 3].map(() => createOrganization(scene.store)));
    for (const child of children) await scene.put(parent, 'a', child, ...numbered(10, child));
    const underWay = new Map<string, number>();
    let [most, overlaps] = [0, 0];
    scene.receive = async ({ organizationId }) => {
      underWay.set(organizationId, (underWay.get(organizationId) ?? 0) + 1);
      most = Math.max(most, underWay.size);
      await sleep(5);
      if (underWay.get(organizationId) !== 1) overlaps += 1;
      underWay.delete(organizationId);
    };
    scene.start();
    await expect.poll(() => isEmpty(scene)).toBe(true);
    for (const child of children) {
      const own = scene.taken.filter(({ organizationId }) => organizationId === child);
      expect(bodies(own)).toEqual(numbered(10, child));
    }
    expect([most, overlaps]).toEqual([3, 0]);
  });

  test('an undeliverable event delays only its own organization, including later events', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    const [stuck, other] = [await createOrganization(scene.store), await createOrganization(scene.store)];
    let tries = 0;
    scene.receive = ({ organizationId }) => {
      if (organizationId !== stuck) return;
      tries += 1;
      later();
    };
    await scene.put(parent, 'a', stuck, 'stuck 1', 'stuck 2');
    await scene.put(parent, 'a', other, 'other 1');
    scene.start();
    // Several failed tries lead to a pause of seconds. In so small steps the receiver stays trusted, however long the poll takes.
    const another = () => {
      if (tries <= 2) scene.advance(1_000);
      return tries;
    };
    await expect.poll(another, { interval: 50 }).toBeGreaterThan(2);
    const before = tries;
    await scene.put(parent, 'a', other, 'other 2');
    await expect.poll(() => bodies(scene.taken)).toEqual(['other 1', 'other 2']);
    expect(tries).toBe(before);
    scene.receive = () => undefined;
    scene.advance(60_000);
    await expect.poll(() => isEmpty(scene)).toBe(true);
    expect(bodies(scene.taken)).toEqual(['other 1', 'other 2', 'stuck 1', 'stuck 2']);
  });

  test('what people are told: the fault and the next try while a receiver is down, and no try once it took everything', async () => {
    const scene = await DispatcherScene.create();
    const subscriber = await scene.addSubscriber('a');
    const state = async () => (await scene.store.events.states(subscriber, ['a'], 10))[0];
    scene.receive = later;
    await scene.put(subscriber, 'a', subscriber, 'one');
    scene.start();
    await expect.poll(state).toMatchObject({ waiting: 1, fault: 'busy', takenAtMs: 0 });
    const { failedAtMs, retryAtMs } = (await state()) ?? { failedAtMs: 0, retryAtMs: 0 };
    expect(retryAtMs).toBeGreaterThan(failedAtMs);
    scene.receive = () => undefined;
    const next = () => {
      scene.advance(1_000);
      return state();
    };
    await expect.poll(next).toMatchObject({ waiting: 0, fault: 'busy', retryAtMs: 0 });
    expect((await state())?.takenAtMs).toBeGreaterThan(failedAtMs);
  });

  test('many refused events of one organization do not block others at a receiver of unknown health', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    const bad = [];
    for (let index = 0; index < 6; index++) bad.push(await createOrganization(scene.store));
    const good = await createOrganization(scene.store);
    scene.receive = ({ organizationId }) => {
      if (organizationId !== good) later();
    };
    await scene.put(parent, 'a', bad[0] as string, ...numbered(70));
    for (const organizationId of bad.slice(1)) await scene.put(parent, 'a', organizationId, ...numbered(2));
    await scene.put(parent, 'a', good, 'good');
    scene.start();
    const taken = () => {
      scene.advance(10_000);
      return bodies(scene.taken);
    };
    await expect.poll(taken, { interval: 20 }).toEqual(['good']);
  });

  test('a fault while an endpoint is held does not hold it indefinitely', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    const stuck = await createOrganization(scene.store);
    scene.receive = ({ organizationId }) => {
      if (organizationId === stuck) later();
    };
    await scene.put(parent, 'a', parent, 'one');
    await scene.put(parent, 'a', stuck, 'stuck');
    scene.start();
    await expect.poll(() => scene.outcomes.length).toBeGreaterThan(1);
    const sound = scene.subscribers.get(parent) as Snapshot;
    let faults = 0;
    scene.subscribers.set(parent, () => {
      faults += 1;
      throw new Error('the database does not respond');
    });
    await expect.poll(() => faults).toBeGreaterThan(0);
    scene.subscribers.set(parent, sound);
    scene.receive = () => undefined;
    const empty = () => {
      scene.advance(2_000);
      return isEmpty(scene);
    };
    await expect.poll(empty, { interval: 20 }).toBe(true);
    expect(bodies(scene.taken)).toEqual(['one', 'stuck']);
  });

  test('an address changed while the old one is tried does not wait either', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    scene.receive = async ({ host }) => {
      if (host !== 'a.example.com') return;
      if (scene.outcomes.length === 5) {
        scene.subscribers.set(parent, organizationWith({ endpoints: { a: { url: 'https://b.example.com/' } } }));
        await scene.store.events.wake('a');
      }
      later();
    };
    await scene.put(parent, 'a', parent, 'one');
    scene.start();
    const another = () => {
      if (scene.outcomes.length <= 5) scene.advance(60_000);
      return scene.taken.map(({ host }) => host);
    };
    await expect.poll(another, { interval: 20 }).toEqual(['b.example.com']);
  });

  test('a new address does not wait for the old one’s pause', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    scene.receive = ({ host }) => {
      if (host === 'a.example.com') later();
    };
    await scene.put(parent, 'a', parent, 'one', 'two');
    scene.start();
    // After six tries the pause is longer than this test.
    const another = () => {
      if (scene.outcomes.length < 6) scene.advance(60_000);
      return scene.outcomes.length;
    };
    await expect.poll(another, { interval: 20 }).toBeGreaterThanOrEqual(6);
    const url = 'https://b.example.com/';
    scene.subscribers.set(parent, organizationWith({ endpoints: { a: { url } } }));
    // As the service does when an endpoint changes.
    await scene.store.events.wake('a');
    await expect
      .poll(() => scene.taken.map(({ host, body }) => [host, body]))
      .toEqual([
        ['b.example.com', 'one'],
        ['b.example.com', 'two'],
      ]);
  });

  test('a slow receiver does not lose its endpoint’s lease to another process', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    await scene.put(parent, 'a', parent, ...numbered(8));
    const intruder: boolean[] = [];
    const advance = stopTheRenewals(scene);
    scene.receive = async () => {
      advance(4_000);
      await sleep(5);
      intruder.push(await scene.store.events.lease({ listenerId: parent, endpointId: 'a' }, 'intruder', scene.nowMs(), 1));
    };
    scene.start();
    await expect.poll(() => isEmpty(scene)).toBe(true);
    expect(bodies(scene.taken)).toEqual(numbered(8));
    expect(intruder).toEqual(Array(8).fill(false));
  });

  test('endpoints with a constant backlog do not starve others', async () => {
    const scene = await DispatcherScene.create();
    const busy = numbered(32, 'a');
    const parent = await scene.addSubscriber(...busy, 'z');
    for (const name of busy) await scene.put(parent, name, parent, ...numbered(20, name));
    await scene.put(parent, 'z', parent, 'last');
    const advance = stopTheRenewals(scene);
    scene.receive = async () => {
      advance(200);
      await sleep(1);
    };
    scene.start();
    await expect.poll(() => isEmpty(scene)).toBe(true);
    expect(scene.taken).toHaveLength(32 * 20 + 1);
    expect(bodies(scene.taken).indexOf('last')).toBeLessThan(32 * 10);
    for (const name of busy) {
      const own = scene.taken.filter(({ host }) => host === `${name}.example.com`);
      expect(bodies(own)).toEqual(numbered(20, name));
    }
  });

  test('several processes share the endpoints: each event once, in order', async () => {
    const scene = await DispatcherScene.create();
    const names = numbered(6, 'a');
    const parent = await scene.addSubscriber(...names);
    for (let index = 0; index < 3; index++) scene.start();
    for (let round = 0; round < 5; round++) {
      for (const name of names) await scene.put(parent, name, parent, `${name} ${round}`);
      await sleep(10);
    }
    await expect.poll(() => isEmpty(scene)).toBe(true);
    for (const name of names) {
      const own = scene.taken.filter(({ host }) => host === `${name}.example.com`);
      expect(bodies(own)).toEqual([0, 1, 2, 3, 4].map((round) => `${name} ${round}`));
    }
  });

  test('a permanently refused event makes room for the next', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    await scene.put(parent, 'a', parent, 'one', 'two', 'three');
    scene.receive = ({ body }) => {
      if (body === 'two') throw new DeliveryError('gone', true);
    };
    scene.start();
    await expect.poll(() => isEmpty(scene)).toBe(true);
    expect(bodies(scene.taken)).toEqual(['one', 'three']);
    expect(scene.outcomes).toEqual(['delivered', 'refused', 'delivered']);
  });

  test('events for a deleted endpoint, and events too long in the queue, are dropped', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    await scene.put(parent, 'gone', parent, 'nobody 1', 'nobody 2');
    await scene.put(await createOrganization(scene.store), 'a', parent, 'nobody 3');
    await scene.put(parent, 'a', parent, 'old');
    scene.advance(scene.maxAgeMs + 1);
    await scene.put(parent, 'a', parent, 'new');
    scene.start();
    await expect.poll(() => isEmpty(scene)).toBe(true);
    expect(bodies(scene.taken)).toEqual(['new']);
    expect(scene.outcomes.sort()).toEqual(['delivered', ...Array(4).fill('dropped')]);
  });

  test.each([
    { events: 1_000, bytes: 1_000 },
    { events: 10, bytes: 1_000_000 },
  ])('D361: the queue of a receiver that is down keeps the oldest events up to %o, and takes no more', async (limits) => {
    const scene = await DispatcherScene.create();
    scene.queueLimits = limits;
    scene.receive = ({ host }) => {
      if (host.startsWith('down')) throw new DeliveryError('the receiver responded with 503', false);
    };
    const parent = await scene.addSubscriber('down', 'up');
    const hundred = (at: number) => `${at}`.padEnd(100, '.');
    const all = Array.from({ length: 50 }, (_, at) => hundred(at));
    await scene.put(parent, 'down', parent, ...all);
    await scene.put(parent, 'up', parent, ...all.slice(0, 8));
    scene.start();
    const queued = async () => bodies(await scene.store.events.oldest({ listenerId: parent, endpointId: 'down' }, 100));
    await expect.poll(queued).toEqual(all.slice(0, 10));
    const states = () => scene.store.events.states(parent, ['down', 'up'], 100);
    await expect.poll(async () => (await states())[0]).toMatchObject({ dropped: 40, droppedAtMs: scene.nowMs(), waiting: 10 });
    await expect.poll(() => scene.fullQueues.isFull('down')).toBe(true);
    expect(scene.fullQueues.refuses('down')).toBe(true);
    // The other endpoint got everything, and takes more.
    await expect.poll(() => bodies(scene.taken)).toEqual(all.slice(0, 8));
    expect((await states())[1]).toMatchObject({ dropped: 0, waiting: 0 });
    expect(scene.fullQueues.refuses('up')).toBe(false);
    expect(scene.outcomes.filter((outcome) => outcome === 'dropped')).toHaveLength(40);
  });

  test('D538: an endpoint that accepted nothing while an event became too old is disabled, another is not', async () => {
    const scene = await DispatcherScene.create();
    const names = ['dead', 'slow', 'up'];
    scene.receive = ({ host, body }) => {
      const isSlow = host.startsWith('slow') && body === 'poison';
      if (host.startsWith('dead') || isSlow) throw new DeliveryError('the receiver responded with 503', false);
    };
    const parent = await scene.addSubscriber(...names);
    const child = await createOrganization(scene.store);
    for (const name of names) await scene.put(parent, name, parent, 'poison', 'first');
    // It accepts events of another organization meanwhile.
    await scene.put(parent, 'slow', child, 'of another');
    scene.start();
    const failedAtMs = scene.nowMs();
    const states = () => scene.store.events.states(parent, names, 10);
    await expect.poll(async () => (await states()).map(({ waiting }) => waiting)).toEqual([2, 2, 0]);
    await expect.poll(async () => (await states())[0]?.failedAtMs).toBe(failedAtMs);
    await expect.poll(async () => (await states())[1]?.takenAtMs).toBe(failedAtMs);
    expect(scene.disabled).toEqual([]);
    scene.advance(scene.maxAgeMs + 1);
    await expect.poll(() => isEmpty(scene)).toBe(true);
    // Once for each part of the queue: the organization of the test does not change.
    const dead = { endpointId: 'dead', sinceMs: failedAtMs };
    await expect.poll(() => scene.disabled.length).toBeGreaterThan(0);
    expect(scene.disabled).toEqual(scene.disabled.map(() => dead));
  });

  test('D62: an edited row is not sent and raises an alarm; other rows are sent', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a', 'b');
    await scene.put(parent, 'a', parent, 'one', 'two', 'three');
    scene.tamper("UPDATE events SET body = 'forged' WHERE body = 'two'");
    scene.tamper("UPDATE events SET endpoint_id = 'b' WHERE body = 'three'");
    scene.start();
    await expect.poll(() => isEmpty(scene)).toBe(true);
    expect(bodies(scene.taken)).toEqual(['one']);
    expect(scene.alarms).toHaveLength(2);
  });

  test('an organization that does not verify keeps its events until it verifies', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    const sound = scene.subscribers.get(parent);
    let looks = 0;
    scene.subscribers.set(parent, () => {
      looks += 1;
      throw new Error('it does not verify');
    });
    await scene.put(parent, 'a', parent, 'one');
    scene.start();
    await expect.poll(() => looks).toBeGreaterThan(0);
    expect(scene.taken).toEqual([]);
    if (sound !== undefined) scene.subscribers.set(parent, sound);
    scene.advance(10_000);
    await expect.poll(() => isEmpty(scene)).toBe(true);
    expect(bodies(scene.taken)).toEqual(['one']);
  });

  test('stopping finishes current deliveries, starts none, and lets other processes continue at once', async () => {
    const scene = await DispatcherScene.create();
    const parent = await scene.addSubscriber('a');
    await scene.put(parent, 'a', parent, 'one', 'two');
    const started = new Promise<void>((resolve) => {
      scene.receive = async () => {
        resolve();
        await sleep(100);
      };
    });
    const first = scene.start();
    await started;
    await first.stop();
    expect(bodies(scene.taken)).toEqual(['one']);
    expect(await scene.store.events.oldest({ listenerId: parent, endpointId: 'a' }, 10)).toMatchObject([{ body: 'two' }]);
    scene.start();
    await expect.poll(() => isEmpty(scene)).toBe(true);
    expect(bodies(scene.taken)).toEqual(['one', 'two']);
  });
});
