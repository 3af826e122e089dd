import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Secret, SecretCache } from '../../../src/vault/keys/secret.ts';

const secret = (byte = 7) => new Secret(new Uint8Array(4).fill(byte));

/** A secret and its array, so that a test can observe wiping. */
function watched() {
  const bytes = new Uint8Array(4).fill(7);
  return { bytes, secret: new Secret(bytes) };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  return { promise, resolve, reject };
}

const wiped = new Uint8Array(4);

describe('a cache of secrets', () => {
  test('holds no more than its limit, and wipes the least recently used', () => {
    const cache = new SecretCache<Secret>(2);
    const values = [watched(), watched(), watched()];
    values.slice(0, 2).forEach((value, i) => void cache.set(`${i}`, value.secret));
    cache.get('0');
    cache.set('2', (values[2] as { secret: Secret }).secret);
    expect(cache.size).toBe(2);
    expect(values.map(({ bytes }) => bytes.every((byte) => byte === 0))).toEqual([false, true, false]);
    expect(cache.get('1')).toBeUndefined();
  });

  test('D544: wipes a secret that was not used for half an hour, and keeps one that was', () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'setTimeout', 'clearTimeout', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const cache = new SecretCache<Secret>(10);
    const [idle, used] = [watched(), watched()];
    cache.set('idle', idle.secret);
    cache.set('used', used.secret);
    for (let minutes = 0; minutes < 40; minutes += 10) {
      vi.advanceTimersByTime(10 * 60_000);
      expect(cache.get('used')).toBe(used.secret);
    }
    expect(cache.size).toBe(1);
    expect(idle.bytes).toEqual(wiped);
    expect(used.bytes).not.toEqual(wiped);
  });

  test('wipes on delete, on replacement and on clear', () => {
    const cache = new SecretCache<Secret>(10);
    const [a, b, c] = [watched(), watched(), watched()];
    cache.set('a', a.secret);
    cache.delete('a');
    expect(a.bytes).toEqual(wiped);
    cache.set('b', b.secret);
    cache.set('b', c.secret);
    expect(b.bytes).toEqual(wiped);
    expect(c.bytes).not.toEqual(wiped);
    cache.clear();
    expect(c.bytes).toEqual(wiped);
  });

  test('concurrent loads of one name are one load', async () => {
    const cache = new SecretCache<Secret>(10);
    let loads = 0;
    const load = async () => {
      loads++;
      return secret();
    };
    const uses = await Promise.all(Array.from({ length: 20 }, () => cache.hold('a', load, (value) => value.bytes[0])));
    expect(uses).toEqual(Array(20).fill(7));
    expect(loads).toBe(1);
    await cache.hold('a', load, () => {});
    expect(loads).toBe(1);
  });

  test('a failed load fails for every waiter, and the next use retries', async () => {
    const cache = new SecretCache<Secret>(10);
    const { promise, reject } = deferred<Secret>();
    const uses = [1, 2].map(() =>
      cache.hold(
        'a',
        () => promise,
        () => {},
      ),
    );
    reject(new Error('no such row'));
    for (const use of uses) await expect(use).rejects.toThrow('no such row');
    await expect(
      cache.hold(
        'a',
        async () => secret(),
        (value) => value.bytes[0],
      ),
    ).resolves.toBe(7);
  });

  test('a value evicted or deleted during use is wiped afterwards', async () => {
    const cache = new SecretCache<Secret>(1);
    const { bytes, secret: value } = watched();
    const gate = deferred<void>();
    const use = cache.hold(
      'a',
      async () => value,
      async ({ bytes: seen }) => {
        await gate.promise;
        return seen[0];
      },
    );
    await Promise.resolve();
    await Promise.resolve();
    cache.set('b', secret());
    cache.delete('a');
    expect(bytes).not.toEqual(wiped);
    gate.resolve();
    await expect(use).resolves.toBe(7);
    expect(bytes).toEqual(wiped);
  });

  test('a load deleted before it completes serves its waiters and is not cached', async () => {
    for (const forget of ['delete', 'deleteWhere', 'clear'] as const) {
      const cache = new SecretCache<Secret>(10);
      const { bytes, secret: value } = watched();
      const { promise, resolve } = deferred<Secret>();
      const use = cache.hold(
        'a',
        () => promise,
        ({ bytes: seen }) => seen[0],
      );
      if (forget === 'delete') cache.delete('a');
      else if (forget === 'clear') cache.clear();
      else cache.deleteWhere(() => false);
      resolve(value);
      await expect(use).resolves.toBe(7);
      expect(cache.size).toBe(0);
      expect(bytes).toEqual(wiped);
    }
  });

  test('deleteWhere wipes the matching values', () => {
    const cache = new SecretCache<Secret>(10);
    cache.set('a', secret(1));
    cache.set('b', secret(2));
    cache.deleteWhere(({ bytes }) => bytes[0] === 1);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.get('b')?.bytes[0]).toBe(2);
  });

  test('no concurrent use ever sees a wiped value', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.record({ name, kind: fc.constantFrom('use', 'use', 'use', 'delete', 'clear'), pause: fc.nat({ max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const cache = new SecretCache<Secret>(2);
        const pause = async (turns: number) => {
          for (let i = 0; i < turns; i++) await Promise.resolve();
        };
        const uses = steps.map(async ({ name: at, kind, pause: turns }) => {
          await pause(turns);
          if (kind === 'delete') return cache.delete(at);
          if (kind === 'clear') return cache.clear();
          return cache.hold(
            at,
            async () => {
              await pause(turns);
              return secret();
            },
            async (value) => {
              expect(value.bytes[0]).toBe(7);
              await pause(turns);
              expect(value.bytes[0]).toBe(7);
            },
          );
        });
        await Promise.all(uses);
        expect(cache.size).toBeLessThanOrEqual(2);
      }),
    );
  });
});
