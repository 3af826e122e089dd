import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findConfine } from '../src/index.ts';

const { file: confine } = findConfine(process.env);

// Where there was a compiler for the program that confines, there is one for its test.
describe.skipIf(confine === undefined)('a confined edge', () => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-confine-'));
  const [program, secret] = ['program', 'secret'].map((name) => join(directory, name)) as [string, string];
  const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { stdio: 'ignore' });
  afterAll(() => {
    other.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  beforeAll(() => {
    const source = fileURLToPath(new URL('confined-program.c', import.meta.url));
    const { status, stderr } = spawnSync(process.env.CC ?? 'cc', ['-pthread', source, '-o', program]);
    expect(status, String(stderr)).toBe(0);
  });

  /** How each attempt ended, against a file and a process of the same user. */
  function attempts(command: readonly string[]): Record<string, string> {
    writeFileSync(secret, 'secret', { mode: 0o600 });
    const [first = '', ...rest] = [...command, program, secret, String(other.pid)];
    const { stdout } = spawnSync(first, rest, { encoding: 'utf8' });
    return Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(': ') as [string, string]),
    );
  }

  const needs = ['socket', 'signal itself', 'own limit', 'thread'];
  const results = (tried: Record<string, string>, isNeeded: boolean) =>
    [...new Set(Object.entries(tried).flatMap(([name, how]) => (needs.includes(name) === isNeeded ? [how] : [])))].sort();

  test('D663: changes no mode, owner, length or attribute of a file of its user, and reads none', () => {
    const tried = attempts([confine as string, 'edge', program, '/lib', '/lib64', '/usr/lib', '--']);
    expect(Object.keys(tried).length).toBeGreaterThan(15);
    expect([results(tried, false), results(tried, true)]).toEqual([['refused'], ['done']]);
    expect([readFileSync(secret, 'utf8'), statSync(secret).mode & 0o777]).toEqual(['secret', 0o600]);
  });

  test('D663: the same attempts succeed in a program that is not confined', () => {
    const tried = attempts([]);
    for (const name of ['open', 'truncate', 'chmod', 'signal', 'limit', 'shared memory', 'fork'])
      expect(tried[name]).toBe('done');
  });
});
