import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createReadGate } from '../../src/admission/read-gate.ts';
import { stranger, tenant } from './support.ts';

/** Reads that end when the test says so. */
function reads(gate = createReadGate(4, 2)) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    ask: (name: string, flow = stranger(`10.0.0.${ends.size + 1}`)) =>
      gate.run(flow, () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      }),
    async end(name: string) {
      ends.get(name)?.();
      await nextLoop();
    },
  };
}

describe('D435: reads before the caller is known', () => {
  test('a tenant does not wait for strangers, and strangers take turns', async () => {
    const { ask, started, end } = reads();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(name, stranger('10.0.0.1'));
    void ask('b1', stranger('10.9.0.1'));
    expect(started).toEqual(['a1', 'a2']);
    const own = ask('tenant', tenant('tenant'));
    expect(started).toEqual(['a1', 'a2', 'tenant']);
    await end('tenant');
    expect(await own).toBe('tenant');
    await end('a1');
    await end('a2');
    expect(started).toContain('b1');
  });

  test('a user with hundreds of requests does not delay a colleague by more than two reads', async () => {
    const { ask, started, end } = reads();
    for (let at = 0; at < 100; at++) void ask(`many ${at}`, tenant('org', 'busy'));
    expect(started).toHaveLength(4);
    void ask('colleague', tenant('org', 'colleague'));
    await end('many 0');
    await end('many 1');
    expect(started.slice(4)).toContain('colleague');
  });

  test('a read that fails makes room too', async () => {
    const gate = createReadGate(1, 1);
    await expect(gate.run(tenant('a'), () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect(await gate.run(stranger('10.0.0.1'), async () => 'read')).toBe('read');
  });
});
