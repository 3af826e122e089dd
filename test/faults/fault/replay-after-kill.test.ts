import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paths } from '../../../packages/server/src/config/paths.ts';
import { PART_BYTES } from '../../../packages/server/src/log/replay-part.ts';
import { slowEngines } from '../../support/exhaustive.ts';
import { forgetCommits } from '../../support/forget-commits.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { changed } from '../../support/tamper/tamper-case.ts';
import { createPrivateKey, errorOf, signParams } from '../../support/world.ts';
import { placeOf, type Serving, serve } from './support/serving.ts';
import { waitUntil } from './support/wait-until.ts';

/** More than two parts of replay keys. */
const COUNT = 700;
const AT_ONCE = 20;
/** A part with its MAC. */
const SLOT_BYTES = 32 + PART_BYTES;
const refused = { status: 500, code: 'STATE_TAMPERED' };

describe.each(slowEngines('sqlite'))('kill -9 of a server with recent activities on %s', (engine) => {
  let installation: Installation;
  let server: Serving;
  let bodies: readonly string[];
  const ids: string[] = [];

  const send = (body: string) => server.root.send(server.root.submitPath('signRawPayload'), body);

  async function inTurns<T>(work: (body: string, at: number) => Promise<T>): Promise<T[]> {
    const results: T[] = [];
    for (let at = 0; at < COUNT; at += AT_ONCE)
      results.push(...(await Promise.all(bodies.slice(at, at + AT_ONCE).map((body, offset) => work(body, at + offset)))));
    return results;
  }

  const count = async (table: string) =>
    Number((await (await installation.raw()).all(`SELECT count(*) AS n FROM ${table}`))[0]?.n);

  beforeAll(async () => {
    installation = await engines[engine]();
    server = await serve(placeOf(installation));
    const key = await createPrivateKey(server.root);
    bodies = Array.from({ length: COUNT }, () => server.root.submitBody('signRawPayload', signParams(key)));
    for (const { body } of await inTurns(send)) ids.push(String(body.activity.id));
    expect(await waitUntil(60_000, async () => (await count('log_leaves')) >= 512)).toBe(true);
  });
  afterAll(async () => {
    await server?.kill();
    await installation?.remove();
  });

  const directory = () => paths.replayKeys(installation.config);

  function edit(change: (bytes: Buffer) => Uint8Array): void {
    for (const name of readdirSync(directory()))
      writeFileSync(join(directory(), name), change(readFileSync(join(directory(), name))));
  }

  test.each<[string, () => void]>([
    ['with its replay keys', () => expect(readdirSync(directory())).toHaveLength(1)],
    ['without them', () => rmSync(directory(), { recursive: true })],
    ['with replay keys that name no activity', () => edit((bytes) => bytes.map((byte, at) => (at % SLOT_BYTES < 48 ? byte : 0)))],
  ])('D529: nothing is executed twice by a server that starts %s', { timeout: 240_000 }, async (_, prepare) => {
    await server.kill();
    prepare();
    server = await serve(placeOf(installation));
    const before = await count('activities');
    const answers = await inTurns(send);
    expect(answers.map(({ status, body }) => [status, body.activity?.id])).toEqual(ids.map((id) => [200, id]));
    expect(await count('activities')).toBe(before);
  });

  test.each<[string, readonly number[], () => void]>([
    ['kept', [5, 300], () => {}],
    ['edited', [6, 301], () => edit((bytes) => Buffer.alloc(bytes.length))],
  ])(
    'D100: nor if rows were deleted while it was down, and its replay keys were %s',
    { timeout: 240_000 },
    async (_, deleted, prepare) => {
      await server.kill();
      const raw = await installation.raw();
      await raw.dropGuards();
      for (const at of deleted) await changed(raw.run('DELETE FROM activities WHERE id = ?', ids[at] as string));
      forgetCommits(installation);
      prepare();
      server = await serve(placeOf(installation));
      for (const at of deleted) expect(errorOf(await send(bodies[at] as string))).toMatchObject(refused);
      // Others are answered, and new ones executed.
      const body = bodies[10] as string;
      expect((await send(body)).body.activity.id).toBe(ids[10]);
      expect((await server.root.submit('signRawPayload', JSON.parse(body).parameters)).status).toBe(200);
    },
  );
});
