import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeSecretFile } from '../src/profiles.ts';

test('D233: a process that has the old profile open cannot read the new key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-profiles-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'work.json');
  writeFileSync(file, 'earlier', { mode: 0o644 });
  const held = openSync(file, 'r');
  onTestFinished(() => closeSync(held));
  writeSecretFile(file, { apiPrivateKey: 'secret' }, { replace: true });
  expect(readFileSync(held, 'utf8')).toBe('earlier');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ apiPrivateKey: 'secret' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['work.json']);
  expect(() => writeSecretFile(file, {})).toThrow('already exists');
});
