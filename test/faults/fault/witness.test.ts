import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cosignatureVerifier, openCheckpoint, parseVerifierKey, type VerifierKey } from '@countersign/tlog';
import { afterEach, describe, expect, test } from 'vitest';
import { MadeLog } from '../../../packages/server/test/witness/made-log.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { engines } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey } from '../../support/world.ts';
import { type CommandProcess, runCommand, startCommand } from './support/command-process.ts';
import { placeOf, serve } from './support/serving.ts';
import { waitUntil } from './support/wait-until.ts';

/** The real `countersign witness` in a process of its own. */
interface WitnessProcess extends CommandProcess {
  readonly url: string;
  readonly key: string;
  readonly logs: readonly { readonly origin: string; readonly checkpoint: string; readonly size: number | null }[];
}

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function folder(): Promise<string> {
  const path = makeDataDirectory('witness');
  ends.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

const words = (dataDir: string, logKey: string, port = '0') => [
  ...['witness', '--json', '--data-dir', dataDir, '--port', port, '--log-key', logKey, '--log-level', 'error'],
];

async function witness(dataDir: string, logKey: string, port?: string): Promise<WitnessProcess> {
  const process = startCommand(words(dataDir, logKey, port));
  ends.push(() => process.kill());
  return { ...process, ...JSON.parse(await process.firstLine()) };
}

const post = async (url: string, body: string) => {
  const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() };
};

describe('countersign witness', () => {
  test('keeps its key and its memory, refuses a second process on its directory, and stops when asked', async () => {
    const dataDir = await folder();
    const log = new MadeLog();
    const first = await witness(dataDir, log.keyText);
    expect(first.logs).toMatchObject([{ origin: 'example.com/log', size: null }]);
    expect(await (await fetch(`${first.url}/key`)).text()).toBe(`${first.key}\n`);
    expect(await post(first.url, await log.request(0, 5))).toMatchObject({ status: 200 });
    const other = await runCommand(words(dataDir, log.keyText));
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('a server is using') });
    first.signal('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0, signal: null });
    const second = await witness(dataDir, log.keyText);
    expect(second).toMatchObject({ key: first.key, logs: [{ size: 5 }] });
    const refused = await post(second.url, await new MadeLog(log.key.name, 'b').request(5, 5));
    expect(refused).toEqual({ status: 409, type: 'text/x.tlog.size', body: '5\n' });
    const shown = await (await fetch(second.logs[0]?.checkpoint as string)).text();
    const cosigner = cosignatureVerifier(parseVerifierKey(second.key));
    expect(openCheckpoint(shown, log.key.name, [cosigner])).toMatchObject({ size: 5 });
    expect((await fetch(`${second.url}/add-checkpoint`)).status).toBe(405);
    expect(await post(second.url, 'x'.repeat(70_000))).toMatchObject({ status: 413 });
    const unnamed = await runCommand(['witness', '--data-dir', dataDir, '--json']);
    expect(unnamed).toMatchObject({ code: 1, stderr: expect.stringContaining('No log to watch was given') });
  });

  test('D263: without the file of a log that it cosigned, it answers nothing about it and does not start', async () => {
    const dataDir = await folder();
    const log = new MadeLog();
    const first = await witness(dataDir, log.keyText);
    expect(await post(first.url, await log.request(0, 5))).toMatchObject({ status: 200 });
    const moved = join(dataDir, 'moved');
    await rename(join(dataDir, 'logs'), moved);
    expect(await post(first.url, await new MadeLog(log.key.name, 'b').request(0, 6))).toMatchObject({ status: 500 });
    await expect.poll(() => first.stderr()).toContain('this witness has cosigned the log');
    await first.kill();
    const refused = await runCommand(words(dataDir, log.keyText));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/is missing.*Restore the file/s) });
    await rm(join(dataDir, 'logs'), { recursive: true, force: true });
    await rename(moved, join(dataDir, 'logs'));
    const second = await witness(dataDir, log.keyText);
    expect(await post(second.url, await log.request(5, 6))).toMatchObject({ status: 200 });
  });

  test('D123: killed at random moments, it never cosigns two histories', async () => {
    const dataDir = await folder();
    const branches = ['a', 'b', 'c'].map((name) => new MadeLog('example.com/log', name, 2));
    const cosigned: { readonly branch: string; readonly size: number }[] = [];
    let running = await witness(dataDir, (branches[0] as MadeLog).keyText);
    const { key } = running;
    const port = new URL(running.url).port;
    expect(await post(running.url, await (branches[0] as MadeLog).request(0, 2))).toMatchObject({ status: 200 });
    let isOver = false;

    /** Each branch claims to be the log, and believes whatever size the witness says that it has. */
    async function insist(log: MadeLog): Promise<void> {
      let known = 2;
      for (let size = 3; !isOver; ) {
        const oldSize = Math.min(known, size);
        const answer = await post(running.url, await log.request(oldSize, size)).catch(() => undefined);
        if (answer?.status === 200) {
          cosigned.push({ branch: log.branch, size });
          known = size;
          size += 1;
          continue;
        }
        if (answer?.status === 409) {
          known = Number(answer.body);
          size = Math.max(size, known);
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    const insisting = branches.map(insist);
    for (let kills = 0; kills < 2; kills++) {
      const before = cosigned.length;
      expect(await waitUntil(60_000, () => cosigned.length > before + 3)).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
      await running.kill();
      running = await witness(dataDir, (branches[0] as MadeLog).keyText, port);
      expect(running.key).toBe(key);
    }
    isOver = true;
    await Promise.all(insisting);
    expect(new Set(cosigned.map(({ branch }) => branch)).size).toBe(1);
    const sizes = cosigned.map(({ size }) => size);
    expect(sizes).toEqual([...sizes].sort((left, right) => left - right));
  }, 240_000);
});

describe('a service and the real witness', () => {
  test('D264: workers sign only while the witness confirms, and of two copies of a whole data directory one goes on', async () => {
    const installation = await engines.sqlite();
    ends.push(installation.remove);
    const place = placeOf(installation);
    const early = await startService(installation);
    const logKey = (await (await fetch(`${early.url}/log/key`)).text()).trimEnd();
    await early.close();
    const witnessDir = await folder();
    const watching = await witness(witnessDir, logKey);
    const copy = { ...place, directory: await folder() };
    await cp(place.directory, copy.directory, { recursive: true });

    const flags = ['--witnesses', `${watching.url}#${watching.key}`, '--require-witness', '10'];
    const one = await serve(place, [...flags, '--workers', '2']);
    ends.push(() => one.kill());
    for (let count = 0; count < 6; count++) await createPrivateKey(one.root);
    const cosigner: VerifierKey = parseVerifierKey(watching.key);
    const origin = parseVerifierKey(logKey).name;
    const shown = await waitUntil(60_000, async () => {
      const note = await (await fetch(`${one.url}/log/checkpoint`)).text();
      return note.includes(` ${cosigner.name} `) && openCheckpoint(note, origin, [cosignatureVerifier(cosigner)]).size >= 7;
    });
    expect(shown).toBe(true);

    // The copy never saw what the first went on to do. The witness did.
    const two = await serve(copy, flags);
    ends.push(() => two.kill());
    const refused = await fetch(`${two.url}/readyz`);
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringContaining('another copy of this installation is in use'),
    ]);
    await expect(createPrivateKey(two.root)).rejects.toThrow();
    await createPrivateKey(one.root);

    await watching.kill();
    // Each worker asks for itself, so one may stop a little later than the other.
    const outcome = () =>
      createPrivateKey(one.root).then(
        () => 'done',
        (error: Error) => error.message,
      );
    const allRefuse = async () => {
      const outcomes = await Promise.all(Array.from({ length: 8 }, outcome));
      return outcomes.every((text) => text.includes('no witness has confirmed'));
    };
    expect(await waitUntil(60_000, allRefuse)).toBe(true);
    expect((await fetch(`${one.url}/readyz`)).status).toBe(503);
    await witness(witnessDir, logKey, new URL(watching.url).port);
    expect(await waitUntil(60_000, async () => (await outcome()) === 'done')).toBe(true);
  }, 240_000);

  test('two nodes on PostgreSQL share a witness', async () => {
    const installation = await engines.postgres();
    ends.push(installation.remove);
    const place = placeOf(installation);
    const early = await startService(installation);
    const logKey = (await (await fetch(`${early.url}/log/key`)).text()).trimEnd();
    await early.close();
    const { url, key } = await witness(await folder(), logKey);
    const second = { ...place, directory: await folder() };
    await cp(place.directory, second.directory, { recursive: true });
    const nodes = await Promise.all(
      [place, second].map((each) => serve(each, ['--witnesses', `${url}#${key}`, '--require-witness', '30'])),
    );
    ends.push(() => Promise.all(nodes.map((node) => node.kill())));
    for (let round = 0; round < 5; round++) await Promise.all(nodes.map(({ root }) => createPrivateKey(root)));
    const cosigner = cosignatureVerifier(parseVerifierKey(key));
    for (const node of nodes) {
      const isCosigned = await waitUntil(60_000, async () => {
        const note = await (await fetch(`${node.url}/log/checkpoint`)).text();
        return note.includes(` ${cosigner.name} `) && openCheckpoint(note, parseVerifierKey(logKey).name, [cosigner]).size >= 11;
      });
      expect(isCosigned).toBe(true);
      expect((await fetch(`${node.url}/readyz`)).status).toBe(200);
    }
  }, 240_000);
});
