import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rootKeyAdvice } from '../../../src/commands/doctor/root-key-advice.ts';
import { readConfig } from '../../../src/config/read-config.ts';

function directoryIn(parent: string): string {
  const directory = mkdtempSync(join(parent, 'countersign-root-key-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const PASSPHRASE = 'correct horse battery staple';

describe('D546: advice on the place of the root key', () => {
  function installation(rootKeyFile?: string) {
    const dataDir = directoryIn(tmpdir());
    writeFileSync(join(dataDir, 'countersign.db'), '');
    writeFileSync(rootKeyFile ?? join(dataDir, 'root.key'), '');
    return { dataDir, ...(rootKeyFile !== undefined && { rootKeyFile }) };
  }
  const checksOf = (flags: Parameters<typeof readConfig>[0], environment = {}) =>
    rootKeyAdvice(readConfig(flags, environment)).map(({ check }) => check);

  test('warns of a key file in the data directory, and of one elsewhere on that file system', () => {
    expect(checksOf(installation())).toEqual(['root key']);
    expect(checksOf(installation(join(directoryIn(tmpdir()), 'root.key')))).toEqual(['root key']);
  });

  test('has nothing to say about another file system, a passphrase and PostgreSQL', () => {
    const memory = directoryIn('/dev/shm');
    expect(statSync(memory).dev).not.toBe(statSync(tmpdir()).dev);
    expect(checksOf(installation(join(memory, 'root.key')))).toEqual([]);
    expect(checksOf(installation(), { COUNTERSIGN_ROOT_PASSPHRASE: PASSPHRASE })).toEqual([]);
    expect(checksOf({ ...installation(), databaseUrl: 'postgres://localhost/x' })).toEqual([]);
  });
});
