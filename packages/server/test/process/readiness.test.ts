import { describe, expect, test } from 'vitest';
import type { Service } from '../../src/open-service.ts';
import { createReadiness } from '../../src/process/readiness.ts';
import { StoreUnavailable } from '../../src/store/store-errors.ts';
import type { RootKeyState } from '../../src/vault/root-key/availability.ts';

/** A service of which only what readiness looks at exists. */
function service(write: () => Promise<boolean>, rootKey: RootKeyState['status'] = 'available') {
  let writes = 0;
  const add = () => {
    writes++;
    return write();
  };
  const made = {
    services: {
      store: { ping: async () => undefined, counters: { add }, vault: { setting: async () => undefined } },
      vault: { rootKey: () => ({ status: rootKey, reason: 'the token at /secret/place' }) },
    },
    installationLog: { error: () => undefined },
    backgroundClock: { nowMs: () => 0 },
    clockAheadMs: () => 0,
    fence: { reason: async () => undefined },
    log: { warn: () => undefined },
  } as unknown as Service;
  return { ready: createReadiness(made), writes: () => writes };
}

describe('D169: readiness', () => {
  test('D547: without the root key it is not ready, and the answer shows no file or address', async () => {
    expect(await service(async () => true, 'stopped').ready()).toBe('the root key is not available');
    expect(await service(async () => true, 'lost').ready()).toBeUndefined();
  });

  test('a database that takes no write is not ready, and the answer says why', async () => {
    const { ready } = service(() => Promise.reject(new StoreUnavailable('the disk is full', { outcomeUnknown: false })));
    expect(await ready()).toBe('the database does not take writes: the disk is full');
  });

  test('however often somebody asks, the database is written to once', async () => {
    const { ready, writes } = service(async () => true);
    expect(await Promise.all(Array.from({ length: 50 }, ready))).toEqual(Array(50).fill(undefined));
    expect(await ready()).toBeUndefined();
    expect(writes()).toBe(1);
  });

  test('a write that hangs is answered in time, and no other begins', async () => {
    const { ready, writes } = service(() => new Promise(() => undefined));
    expect(await Promise.all([ready(), ready()])).toEqual(Array(2).fill('the database does not respond'));
    expect(writes()).toBe(1);
  });
});
