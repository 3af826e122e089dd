import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commitLogged } from '../../features/backup/support.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { isExhaustive, slowEngines } from '../../support/exhaustive.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey } from '../../support/world.ts';
import {
  type CallFailure,
  createFailingStorage,
  type FailingStorage,
  missingForFailingStorage,
} from '../torture/support/failing-storage.ts';
import { type Ending, runCommand } from './support/command-process.ts';
import { environmentFor, placeOf, wordsFor } from './support/serving.ts';

/** Files that a maintenance command must not leave. */
const leftoversIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tmp$|root\.key\.next/.test(name));

describe.skipIf(missingForFailingStorage() !== undefined).each(slowEngines('sqlite'))(
  'D270: maintenance with a failing disk on %s',
  (engine) => {
    let installation: Installation;
    let storage: FailingStorage;
    let outside: string;

    beforeEach(async () => {
      installation = await engines[engine]();
      const service = await startService(installation);
      await commitLogged(service.services, undefined, Date.now() - 5 * 86_400_000);
      // The last leaf of an organization is not archived.
      await createPrivateKey(service.root);
      await service.root.data('listLogEntries');
      await service.close();
      storage = createFailingStorage(installation.directory);
      outside = makeDataDirectory('outside');
    });
    afterEach(async () => {
      storage.remove();
      await rm(outside, { recursive: true, force: true });
      await installation.remove();
    });

    function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ending> {
      const place = placeOf(installation);
      return runCommand([...words, ...wordsFor(place)], { environment: { ...environmentFor(place), ...environment } });
    }

    /** Runs a command with a failure at each of its durable calls or at every third, and again without. Returns the number of failures. */
    async function failAtEachCall(how: CallFailure, words: () => readonly string[]): Promise<number> {
      const step = isExhaustive ? 1 : 3;
      let failures = 0;
      for (let call = how === 'kill' ? 1 : 2; ; call += step) {
        const { code, signal, stderr } = await run(words(), storage.failingCall(call, how));
        if (code === 0) return failures;
        failures++;
        if (how === 'kill') expect(signal).toBe('SIGKILL');
        else expect(stderr).toMatch(/^Error: .+\nFix: +.+/);
        expect(stderr).not.toContain('a bug in countersign');
        expect(await run(words())).toMatchObject({ code: 0 });
        expect(leftoversIn(installation.directory)).toEqual([]);
      }
    }

    test.each(['EIO', 'kill'] as const)(
      'vault rotate reports %s as such, and the next run removes what it left',
      async (how) => {
        const before = readFileSync(join(installation.directory, 'root.key'), 'utf8');
        expect(await failAtEachCall(how, () => ['vault', 'rotate'])).toBeGreaterThan(isExhaustive ? 3 : 0);
        expect(readFileSync(join(installation.directory, 'root.key'), 'utf8')).not.toBe(before);
        const service = await startService(installation);
        await createPrivateKey(service.root);
        await service.close();
      },
      500_000,
    );

    test('restore reports errors of the disk, and the next run completes it', async () => {
      const file = join(outside, 'one.backup');
      expect(await run(['backup', file])).toMatchObject({ code: 0 });
      const reported: Ending[] = [];
      for (let call = 1; reported.length < 3; call++) {
        const target = await engines[engine]();
        const failing = createFailingStorage(target.directory);
        copyFileSync(join(installation.directory, 'root.key'), join(target.directory, 'root.key'));
        const place = placeOf(target);
        const restore = (environment: Readonly<Record<string, string>> = {}) =>
          runCommand(['restore', file, ...wordsFor(place)], { environment: { ...environmentFor(place), ...environment } });
        const ending = await restore(failing.failingCall(call, call % 2 === 0 ? 'EIO' : 'ENOSPC'));
        // SQLite ignores a failed sync of a directory.
        if (ending.code !== 0) {
          reported.push(ending);
          expect(await restore()).toMatchObject({ code: 0 });
        }
        failing.remove();
        await target.remove();
      }
      for (const { code, stderr } of reported) {
        expect(code).toBe(1);
        expect(stderr).toMatch(/^Error: .+\nFix: +.+/);
        expect(stderr).not.toContain('a bug in countersign');
      }
    });

    test('backup and archive report a full disk', async () => {
      const full = createFailingStorage(outside);
      const before = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
      const commands = [
        ['backup', join(outside, 'one.backup')],
        ['archive', '--before', before, '--to', outside],
      ];
      for (const words of commands) {
        full.fail('full');
        const failed = await run(words, full.environment);
        expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Error: .+\nFix: +.*Free some space/) });
        full.heal();
        expect(await run(words)).toMatchObject({ code: 0 });
        expect(leftoversIn(outside)).toEqual([]);
      }
      full.remove();
    });

    test('the next backup to the same file removes the temporary file of one that was killed', async () => {
      const file = join(outside, 'one.backup');
      const failing = createFailingStorage(outside);
      expect(await run(['backup', file], failing.failingCall(1, 'kill'))).toMatchObject({ signal: 'SIGKILL' });
      expect(leftoversIn(outside)).toEqual([expect.stringMatching(/^one\.backup\..+\.tmp$/)]);
      const old = join(outside, 'older.backup.01234567.countersign-1.tmp');
      const foreign = join(outside, 'other.tmp');
      for (const path of [old, foreign]) writeFileSync(path, '');
      expect(await run(['backup', file])).toMatchObject({ code: 0 });
      // The process with this number may run elsewhere, and the file is not old enough to be abandoned.
      expect(leftoversIn(outside).sort()).toEqual([basename(old), basename(foreign)].sort());
      failing.remove();
    });
  },
);
