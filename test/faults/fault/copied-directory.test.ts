import { chmodSync, cpSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { stampFromNowOn } from '../../support/caller.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { slowEngines } from '../../support/exhaustive.ts';
import { engines } from '../../support/installation.ts';
import { createPrivateKey } from '../../support/world.ts';
import { runCommand } from './support/command-process.ts';
import { environmentFor, type Place, placeOf, serve, startServing, wordsFor } from './support/serving.ts';

const BOUND = ['--bind-machine', 'tpm'];

describe.each(slowEngines('postgres'))('D264: a data directory that was copied as a whole on %s', (engine) => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  function folder(name: string): string {
    const path = makeDataDirectory(name);
    ends.push(() => rm(path, { recursive: true, force: true }));
    return path;
  }

  /** The environment of a machine whose TPM has this endorsement key. The tool stands for tpm2-tools. */
  function machine(key: string): Record<string, string> {
    const tools = folder('tools');
    const tool = join(tools, 'tpm2_createek');
    writeFileSync(tool, `#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = -u ] && printf %s '${key}' > "$2"; shift; done\n`);
    chmodSync(tool, 0o755);
    return { PATH: `${tools}:${process.env.PATH}` };
  }

  async function start(place: Place, environment: Record<string, string>, flags: readonly string[] = BOUND) {
    const serving = await serve(place, flags, { environment });
    ends.push(() => serving.kill());
    return serving;
  }

  async function stop(serving: Awaited<ReturnType<typeof start>>): Promise<void> {
    serving.signal('SIGTERM');
    expect(await serving.ended).toMatchObject({ code: 0 });
  }

  test('does not start on another machine, until the operator accepts it', async () => {
    const installation = await engines[engine]();
    ends.push(installation.remove);
    const place = placeOf(installation);
    const [own, other] = [machine('first key'), machine('second key')];
    const first = await start(place, own);
    await createPrivateKey(first.root);
    await stop(first);
    const copy: Place = { ...place, directory: folder('copy') };
    cpSync(place.directory, copy.directory, { recursive: true });

    // The same command, a command without the flag, and a machine without a TPM.
    for (const [environment, flags] of [
      [other, BOUND],
      [other, []],
      [{ PATH: '/nowhere' }, []],
    ] as const) {
      const refused = await startServing(copy, flags, { environment }).ended;
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/bound to another machine.*recover --accept-loss/),
      });
    }
    const command = (words: readonly string[], environment: Record<string, string>) =>
      runCommand([...words, ...wordsFor(copy)], { environment: { ...environmentFor(copy), ...environment } });
    const doctor = await command(['doctor'], other);
    expect(`${doctor.stdout}${doctor.stderr}`).toContain('bound to another machine');

    // On its own machine it starts, with and without the flag.
    for (const flags of [BOUND, []]) {
      const again = await start(place, own, flags);
      await createPrivateKey(again.root);
      await stop(again);
    }
    // The newest database moves with it.
    if (engine === 'sqlite') cpSync(place.directory, copy.directory, { recursive: true });

    expect(await command(['recover', '--accept-loss'], other)).toMatchObject({ code: 0 });
    stampFromNowOn();
    const moved = await start(copy, other);
    await createPrivateKey(moved.root);
    await stop(moved);
    expect(
      readdirSync(copy.directory)
        .filter((name) => name.startsWith('machine.json'))
        .sort(),
    ).toEqual(['machine.json', expect.stringMatching(/^machine\.json\.lost-/)]);
    const back = await startServing(copy, [], { environment: own }).ended;
    expect(back).toMatchObject({ code: 1, stderr: expect.stringContaining('bound to another machine') });
  });
});
