import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operationEntries } from '../src/operation-entries.ts';

const folder = join(import.meta.dirname, '../run');
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');

/** The files that a file of the bundle loads before it runs. */
function loadedBy(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, imported = ''] of textOf(name).matchAll(/^(?:import|\} from) ?"\.\/([^"]+)"/gm)) loadedBy(imported, found);
  return found;
}

/** The file of a module. The builder adds a hash to its name. */
function fileOf(module: string): string {
  const [only, second] = files.filter((name) => name.slice(0, -'-12345678.js'.length) === module);
  if (only === undefined || second !== undefined) throw new Error(`not exactly one file of ${module}`);
  return only;
}

describe('the bundle', () => {
  const schemas = files.filter((name) => textOf(name).includes('function defineActivity('));

  test('short commands load no schemas', () => {
    expect(schemas).toHaveLength(1);
    const [, operation = ''] = /import\("\.\/(operation-[^-"]+)"\)/.exec(textOf(fileOf('run'))) ?? [];
    const short = ['run', 'operation-entries', 'approvals', 'request'].map(fileOf);
    for (const name of [...short, operation]) expect([...loadedBy(name)], name).not.toContain(schemas[0]);
    // What needs them loads them.
    expect([...loadedBy(fileOf('find-operation'))]).toContain(schemas[0]);
  });

  test('contains the data of every operation', async () => {
    const { operationEntries: bundled } = await import(join(folder, fileOf('operation-entries')));
    expect(bundled).toEqual(JSON.parse(JSON.stringify(operationEntries)));
    expect(bundled.length).toBeGreaterThan(100);
  });

  test.each([
    ['parameters that are missing', ['get-wallet'], /^Error: get-wallet: --wallet-id is required\n/],
    ['parameters that are wrong', ['whoami', '--params', '{"a":1}'], /^Error: whoami: .*"a"/],
  ])('reports %s before it connects', async (_, argv, message) => {
    const env = { PATH: process.env.PATH, HOME: folder, COUNTERSIGN_URL: 'http://127.0.0.1:1' };
    const command = join(import.meta.dirname, '../bin/countersign.js');
    const { code, stderr } = await new Promise<{ code: number | null; stderr: string }>((resolve) => {
      const child = execFile(process.execPath, [command, ...argv], { env }, (_error, _stdout, stderr) =>
        resolve({ code: child.exitCode, stderr }),
      );
    });
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});
