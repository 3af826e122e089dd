import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Engine, engines, type Installation } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createSubOrganization, createWallet, signParams } from '../../support/world.ts';
import { runCommand, startCommand } from './support/command-process.ts';
import { environmentFor, type Place, placeOf, wordsFor } from './support/serving.ts';

describe.each(Object.keys(engines) as Engine[])('vault rotate on %s', (engine) => {
  let installation: Installation;
  let place: Place;

  beforeEach(async () => {
    installation = await engines[engine]();
    place = placeOf(installation);
  });
  afterEach(() => installation?.remove());

  const words = () => ['vault', 'rotate', ...wordsFor(place)];
  const rotate = () => runCommand(words(), { environment: environmentFor(place) });
  const rootKey = () => readFileSync(join(place.directory, 'root.key'), 'utf8');

  test('it is refused while a server runs; afterwards it works, and the same keys give the same signatures', async () => {
    const serving = await startService(installation);
    const { addresses } = await createWallet(serving.root);
    const params = signParams(addresses[0] as string);
    const body = serving.root.submitBody('signRawPayload', params);
    const path = serving.root.submitPath('signRawPayload');
    const before = await serving.root.send(path, body);
    const keyBefore = rootKey();
    const refusal = await rotate();
    expect(refusal.code).toBe(1);
    expect(refusal.stderr).toMatch(/^Error: a server is using [^\n]+\nFix: +Stop every server [^\n]+\n$/);
    expect(rootKey()).toBe(keyBefore);
    await serving.close();

    expect(await rotate()).toMatchObject({ code: 0, stderr: '' });
    expect(rootKey()).not.toBe(keyBefore);
    const again = await startService(installation);
    expect((await again.root.send(path, body)).body).toEqual(before.body);
    const { signRawPayloadResult } = before.body.activity.result.activity.result;
    expect(await again.root.result('signRawPayload', params)).toEqual(signRawPayloadResult);
    await again.close();
  });

  test('killed at random moments, it leaves a working installation and can be resumed', async () => {
    const first = await startService(installation);
    for (let count = 0; count < 5; count++) await createSubOrganization(first.root);
    const { addresses } = await createWallet(first.root);
    const params = signParams(addresses[0] as string);
    const signature = await first.root.result('signRawPayload', params);
    await first.close();

    const startedMs = performance.now();
    expect(await rotate()).toMatchObject({ code: 0 });
    const usualMs = performance.now() - startedMs;
    for (let kills = 0; kills < 3; kills++) {
      const rotating = startCommand(words(), { environment: environmentFor(place) });
      await sleep(usualMs * (0.6 + Math.random() * 0.4));
      await rotating.kill();
    }
    const between = await startService(installation);
    expect(await between.root.result('signRawPayload', params)).toEqual(signature);
    await between.close();
    expect(await rotate()).toMatchObject({ code: 0 });
    const after = await startService(installation);
    expect(await after.root.result('signRawPayload', params)).toEqual(signature);
    await after.close();
  });
});
