import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KnownCallers } from '../../src/admission/known-callers.ts';
import {
  knownCallerKey,
  readKnownCallers,
  startKnownCallers,
  writeKnownCallers,
} from '../../src/installation/known-callers-file.ts';
import { openIntegrity } from '../../src/vault/integrity/integrity.ts';
import { Secret } from '../../src/vault/keys/secret.ts';

const keysOf = (byte: number) => openIntegrity(new Secret(new Uint8Array(32).fill(byte))).integrity;
const keys = keysOf(7);
const caller = { address: '192.0.2.1', credential: 'a public key' };
const user = { tenantId: 'org', organizationId: 'org', userId: 'user' };
const HOUR_MS = 3_600_000;

const open = (integrity = keys) => new KnownCallers((pair) => knownCallerKey(integrity, pair));

let directory: string;
let path: string;
const warnings: unknown[] = [];
const log = { warn: (...words: unknown[]) => void warnings.push(words) };
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'known-callers-'));
  path = join(directory, 'known-callers');
  warnings.length = 0;
});
afterEach(() => rm(directory, { recursive: true }));

/** What a process knows that starts with the file, and stops. */
async function restart(known = open(), integrity = keys): Promise<KnownCallers> {
  await (await startKnownCallers(path, known, integrity, log)).stop();
  return known;
}

describe('D343: the file of known callers', () => {
  test('a credential that verified before a restart is proven at its address afterwards, and only there', async () => {
    const before = open();
    const running = await startKnownCallers(path, before, keys, log);
    before.add(caller, user);
    await running.stop();
    const after = await restart();
    expect(after.find(caller)?.flow).toEqual(before.find(caller)?.flow);
    expect(after.find({ ...caller, address: '192.0.2.2' })).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  test('it shows neither addresses nor credentials, and times only by the hour', async () => {
    const nowMs = 500_000 * HOUR_MS + 1_234_567;
    const known = open();
    known.add(caller, user);
    const text = writeKnownCallers(keys, [...known.list()], nowMs).toString();
    expect(text).not.toContain(caller.address);
    expect(text).not.toContain(caller.credential);
    expect(text).toContain('"org","user",500000]');
    await writeFile(path, text);
    await restart(known);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('D431: it keeps whose sub-organization it was, and reads the file of an earlier release', async () => {
    const known = open();
    known.add(caller, { ...user, tenantId: 'parent' });
    await writeFile(path, writeKnownCallers(keys, [...known.list()], Date.now()));
    expect([...(await restart()).list()]).toMatchObject([{ ...user, tenantId: 'parent' }]);
    const hour = Math.floor(Date.now() / HOUR_MS);
    const json = JSON.stringify({ version: 1, callers: [['key', 'org', 'user', hour]] });
    await writeFile(path, `${Buffer.from(keys.knownCaller('file', json)).toString('hex')}\n${json}\n`);
    expect([...(await restart()).list()]).toMatchObject([user]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['is altered', (file: Buffer) => Buffer.from(file.toString().replace('"user"', '"evil"'))],
    ['is cut off', (file: Buffer) => file.subarray(0, file.length - 9)],
    ['is empty', () => Buffer.alloc(0)],
    ['is something else', () => Buffer.from('{"version":1}')],
  ])('counts as empty if it %s, and is replaced', async (_, damage) => {
    const known = open();
    known.add(caller, user);
    await writeFile(path, damage(writeKnownCallers(keys, [...known.list()], Date.now())));
    const after = await restart();
    expect([...after.list()]).toEqual([]);
    await restart(known);
    expect(readKnownCallers(keys, await readFile(path), Date.now())).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test('the file of another installation counts as empty', async () => {
    const known = open();
    known.add(caller, user);
    expect(readKnownCallers(keysOf(8), writeKnownCallers(keys, [...known.list()], Date.now()), Date.now())).toEqual([]);
  });

  test('processes with one data directory learn from each other', async () => {
    const [first, second] = [open(), open()];
    const running = [await startKnownCallers(path, first, keys, log), await startKnownCallers(path, second, keys, log)];
    first.add(caller, user);
    second.add({ ...caller, credential: 'another' }, user);
    for (const each of running) await each.stop();
    expect(second.find(caller)).toBeDefined();
    expect([...(await restart()).list()]).toHaveLength(2);
  });

  test('a data directory that cannot be written is reported, and requests are served', async () => {
    const known = open();
    const running = await startKnownCallers(join(directory, 'missing', 'file'), known, keys, log);
    known.add(caller, user);
    await running.stop();
    expect(warnings).toHaveLength(1);
    expect(known.find(caller)).toBeDefined();
  });
});
