import { describe, expect, onTestFinished, test } from 'vitest';
import { RootKeyUnavailable, VaultError } from '../../../src/vault/errors.ts';
import { RootKeyAvailability, type RootKeyState } from '../../../src/vault/root-key/availability.ts';
import { localRootKey, type RootKey } from '../../../src/vault/root-key/root-key.ts';

/** A key that answers, denies or keeps silent, as it is told. */
function switchedKey() {
  const key = localRootKey(new Uint8Array(32).fill(7));
  const control = { mode: 'answer' as 'answer' | 'deny' | 'silent', uses: 0 };
  const through = <T>(action: () => Promise<T>): Promise<T> => {
    control.uses++;
    if (control.mode === 'silent') return new Promise(() => {});
    if (control.mode === 'deny') return Promise.reject(new RootKeyUnavailable('access was denied', 'grant it'));
    return action();
  };
  const remote: RootKey = {
    ...key,
    isRemote: true,
    wrap: (plain, context) => through(() => key.wrap(plain, context)),
    unwrap: (wrapped, context) => through(() => key.unwrap(wrapped, context)),
  };
  return { remote, control };
}

function watch(options: { graceMs: number; timeoutMs?: number; checkMs?: number }) {
  const states: RootKeyState['status'][] = [];
  let wiped = 0;
  const availability = new RootKeyAvailability({
    source: 'the token',
    timeoutMs: 10_000,
    checkMs: 3_600_000,
    ...options,
    onStopped: () => wiped++,
    onChange: ({ status }) => void states.push(status),
  });
  onTestFinished(() => availability.close());
  return { availability, states, wiped: () => wiped };
}

const HOUR_MS = 3_600_000;

describe('a root key outside this process', () => {
  test('D547: after a loss, memory is used for the grace period and wiped once it ends', async () => {
    const { remote, control } = switchedKey();
    const long = watch({ graceMs: HOUR_MS });
    const short = watch({ graceMs: 0 });
    control.mode = 'deny';
    for (const { availability } of [long, short])
      await expect(availability.watch(remote).wrap(new Uint8Array(32), 'context')).rejects.toThrow('access was denied');
    expect(long.availability.state()).toEqual({ status: 'lost', reason: 'access was denied' });
    expect(() => long.availability.requireUsable()).not.toThrow();
    expect(long.wiped()).toBe(0);
    expect(() => short.availability.requireUsable()).toThrow(RootKeyUnavailable);
    expect(short.availability.state().status).toBe('stopped');
    expect(short.wiped()).toBe(1);
  });

  test('D547: a loss is noticed, ends the grace period and is recovered without a request', async () => {
    const { remote, control } = switchedKey();
    const { availability, states, wiped } = watch({ graceMs: 20, checkMs: 5 });
    availability.start(availability.watch(remote));
    control.mode = 'deny';
    await expect.poll(() => wiped()).toBe(1);
    control.mode = 'answer';
    await expect.poll(() => states).toEqual(['lost', 'stopped', 'available']);
    expect(() => availability.requireUsable()).not.toThrow();
  });

  test('D548: a silent provider fails the use in time, and later uses do not reach it', async () => {
    const { remote, control } = switchedKey();
    const { availability } = watch({ graceMs: HOUR_MS, timeoutMs: 20 });
    const key = availability.watch(remote);
    control.mode = 'silent';
    await expect(key.unwrap(new Uint8Array(60), 'context')).rejects.toThrow('the token does not answer within 20 ms');
    await expect(key.unwrap(new Uint8Array(60), 'context')).rejects.toThrow(RootKeyUnavailable);
    expect(control.uses).toBe(1);
  });

  test('D548: bytes that do not unwrap are not an outage, and an outage is not a VaultError', async () => {
    const { remote, control } = switchedKey();
    const { availability } = watch({ graceMs: 0 });
    const key = availability.watch(remote);
    expect(await key.unwrap(new Uint8Array(60), 'context')).toBeUndefined();
    expect(availability.state()).toEqual({ status: 'available' });
    control.mode = 'deny';
    await expect(key.unwrap(new Uint8Array(60), 'context')).rejects.not.toBeInstanceOf(VaultError);
  });

  test('a key in this process is not watched', () => {
    const local = localRootKey(new Uint8Array(32));
    expect(watch({ graceMs: 0 }).availability.watch(local)).toBe(local);
  });
});
