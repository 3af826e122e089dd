import type { ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { macText, type Snapshot } from '../../../src/organizations/snapshot/snapshot.ts';
import type { Snapshots } from '../../../src/organizations/snapshot/snapshots.ts';
import { readVerifiedResources } from '../../../src/organizations/snapshot/verify-resources.ts';

const key = (id: string, state: number) => ({ kind: 'privateKey' as const, id, mac: Uint8Array.of(id.charCodeAt(0), state) });

type Key = ReturnType<typeof key>;

/** A database that other nodes change between reads, and a process with a cached view of it. */
function scene(states: readonly { readonly rows: readonly Key[]; readonly inForce?: readonly Key[] }[]) {
  const alarms: string[] = [];
  let at = 0;
  let known: Snapshot | undefined;
  const state = () => states[Math.min(at, states.length - 1)] as (typeof states)[0];
  const load = () => {
    const { rows, inForce = rows } = state();
    return { keys: new Set(inForce.map(({ mac }) => macText(mac))) } as unknown as Snapshot;
  };
  const snapshots: Snapshots = {
    get: async () => (known ??= load()),
    current: async () => (known = load()),
    drop: () => {},
    expireBefore: () => {},
    expire: () => {
      known = undefined;
    },
    commit: (_next, work) => work(),
    usage: () => ({ organizations: 0, bytes: 0, loads: { full: 0, delta: 0, fallback: 0 } }),
  };
  const read = async () => {
    const { rows } = state();
    at++;
    return rows;
  };
  const run = () => readVerifiedResources(snapshots, (_id, what) => alarms.push(what), 'o', read);
  return { run, alarms, remember: () => snapshots.current('o') };
}

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'given',
    (error: unknown) => (error as ServiceError).code,
  );

describe('keys in force', () => {
  test('a key in the snapshot is returned', async () => {
    const { run, alarms } = scene([{ rows: [key('a', 1), key('b', 1)] }]);
    expect(await run()).toEqual([key('a', 1), key('b', 1)]);
    expect(alarms).toEqual([]);
  });

  test('a key that another node added is returned, without an alarm', async () => {
    const { run, alarms, remember } = scene([{ rows: [] }, { rows: [key('a', 1)] }]);
    await remember();
    await run();
    expect(await run()).toEqual([key('a', 1)]);
    expect(alarms).toEqual([]);
  });

  test('a key that changes during the read is read again', async () => {
    const { run, alarms } = scene([{ rows: [key('a', 1)] }, { rows: [key('a', 2)] }, { rows: [key('a', 2)] }]);
    expect(await run()).toEqual([key('a', 2)]);
    expect(alarms).toEqual([]);
  });

  test('a key that is deleted during the read is gone', async () => {
    const { run, alarms } = scene([{ rows: [key('a', 1)] }, { rows: [] }]);
    expect(await run()).toEqual([]);
    expect(alarms).toEqual([]);
  });

  test('D62: a key that is stored but not in force was put back', async () => {
    const { run, alarms } = scene([{ rows: [key('a', 1)], inForce: [] }]);
    expect(await codeOf(run())).toBe('STATE_TAMPERED');
    expect(alarms).toEqual(['the privateKey a was restored, or rolled back to an older state, outside the service']);
  });

  test('D62: so was an older state of a key', async () => {
    const { run, alarms } = scene([{ rows: [key('a', 1)], inForce: [key('a', 2)] }]);
    expect(await codeOf(run())).toBe('STATE_TAMPERED');
    expect(alarms).toHaveLength(1);
  });

  test('keys that keep changing are refused as busy, not as tampered with', async () => {
    const states = Array.from({ length: 30 }, (_, index) => ({ rows: [key('a', index)], inForce: [] }));
    const { run, alarms } = scene(states);
    expect(await codeOf(run())).toBe('CONFLICT');
    expect(alarms).toEqual([]);
  });
});
