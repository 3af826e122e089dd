import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findConfine } from '@countersign/native';
import { expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { chooseIsolation } from '../../src/isolation/choose-isolation.ts';

const GIB = 2 ** 30;
const isRoot = process.getuid?.() === 0;
const builtEntry = (name: string) => new URL(`../../dist/process/${name}`, import.meta.url);
const files = { edgeEntry: builtEntry('edge-entry.js'), ignoreDebuggerSignal: builtEntry('ignore-debugger-signal.js') };
const settings = (given: Record<string, string> = {}) => readConfig({ dataDir: makeDataDirectory('data'), ...given }, {});

test('the setting is auto by default, and takes the words of a switch', () => {
  expect(settings().isolate).toBe('auto');
  expect(['true', 'false', 'on', 'off'].map((isolate) => settings({ isolate }).isolate)).toEqual(['on', 'off', 'on', 'off']);
  expect(() => settings({ isolate: 'maybe' })).toThrow('must be auto, on or off');
});

test('auto isolates where a confined process starts, and says so', async () => {
  expect(existsSync(files.edgeEntry)).toBe(true);
  const { config, confinement, fact } = await chooseIsolation(settings(), files, GIB);
  expect([config.isolate, confinement !== undefined, fact]).toEqual([
    'on',
    true,
    expect.stringContaining('keys are isolated from the network'),
  ]);
});

test('auto does not isolate with too little memory, --unseal-https or data where edges read, and says why', async () => {
  const unseal = { unsealHttps: 'true', unsealSocket: '/run/unseal', tlsCert: '/cert', tlsKey: '/key' };
  const inside = makeDataDirectory('program');
  const own = { ...files, edgeEntry: pathToFileURL(join(inside, 'edge-entry.js')) };
  for (const [config, entry, memory, reason] of [
    [settings(), files, GIB / 4, '256 MB of memory are less than the 512 MB that one worker should have'],
    [settings({ workers: '3' }), files, GIB, 'less than the 1536 MB that 3 workers should have'],
    [settings(unseal), files, GIB, '--unseal-https'],
    [settings({ dataDir: inside }), own, GIB, 'cannot protect'],
  ] as const) {
    const chosen = await chooseIsolation(config, entry, memory);
    expect([chosen.config.isolate, chosen.confinement]).toEqual(['off', undefined]);
    expect(chosen.fact).toContain(reason);
  }
});

test('D860: auto does not claim isolation if a confined process does not start', async () => {
  const missing = { ...files, edgeEntry: new URL('./missing.js', files.edgeEntry) };
  const { config, fact } = await chooseIsolation(settings(), missing, GIB);
  expect(config.isolate).toBe('off');
  expect(fact).toMatch(/^keys are not isolated from the network: a confined process does not start here/);
});

test.runIf(!isRoot)('D860: without the program that confines, on does not start and auto says so', async () => {
  const environment = { COUNTERSIGN_NATIVE: 'off' };
  expect(findConfine(environment).file).toBeUndefined();
  await expect(chooseIsolation(settings({ isolate: 'on' }), files, GIB, environment)).rejects.toThrow('COUNTERSIGN_NATIVE=off');
  expect((await chooseIsolation(settings(), files, GIB, environment)).fact).toContain('not isolated');
});

test('on takes what it gets whatever the memory, and off does nothing', async () => {
  expect((await chooseIsolation(settings({ isolate: 'on' }), files, GIB / 8)).confinement).toBeDefined();
  expect(await chooseIsolation(settings({ isolate: 'off' }), files, GIB)).toMatchObject({ config: { isolate: 'off' } });
});
