import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cosign, formatNote, parseAddCheckpoint, parseNote, type SignerKey, verifierKeyOf } from '@countersign/tlog';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askWitness, type WitnessedLog } from '../../../src/log/witness/witness-client.ts';
import { WitnessUnreachable } from '../../../src/log/witness/witness-fetch.ts';
import { createWitnessPoller } from '../../../src/log/witness/witness-poller.ts';
import { MadeLog } from '../../witness/made-log.ts';

const key: SignerKey = { name: 'witness.example/one', type: 'cosignature', seed: new Uint8Array(32).fill(9) };
const impostor: SignerKey = { ...key, seed: new Uint8Array(32).fill(8) };
const made = new MadeLog();

interface Said {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** A witness that says whatever the test wants. Collects what it was asked. */
async function witness(say: (request: ReturnType<typeof parseAddCheckpoint>) => Said) {
  const asked: ReturnType<typeof parseAddCheckpoint>[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const parsed = parseAddCheckpoint(Buffer.concat(chunks).toString());
    asked.push(parsed);
    const { status, type = 'text/plain', body = '', headers = {} } = say(parsed);
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { asked, setting: { url: `http://127.0.0.1:${port}`, key: verifierKeyOf(key) } };
}

/** The log as a process knows it: what it published, and what another process has added to the database since. */
function logOf(size: number, storedSize = size): WitnessedLog {
  const tree = (at: number) => ({ size: at, root: made.root(at), checkpoint: made.checkpoint(at) });
  let published = tree(size);
  return {
    published: () => published,
    catchUp: async () => {
      published = tree(storedSize);
    },
    consistencyProof: async (oldSize, { size: newSize }) => parseAddCheckpoint(await made.request(oldSize, newSize)).proof,
    nowMs: () => Date.now(),
  };
}

const lines = (note: string, signer = key, seconds = Math.floor(Date.now() / 1000)) => {
  const { text } = parseNote(note);
  return formatNote({ text, signatures: [cosign(text, signer, BigInt(seconds))] }).slice(text.length + 1);
};
const conflict = (size: number | string): Said => ({ status: 409, type: 'text/x.tlog.size', body: `${size}\n` });
const agree = ({ checkpoint }: { checkpoint: string }): Said => ({ status: 200, body: lines(checkpoint) });

describe('witness client', () => {
  test('builds the proof from the size that the witness reports', async () => {
    const { asked, setting } = await witness((request) => (request.oldSize === 3 ? agree(request) : conflict(3)));
    expect(await askWitness(setting, undefined, logOf(9))).toMatchObject({ kind: 'CONFIRMED', tree: { size: 9 } });
    expect(asked.map(({ oldSize }) => oldSize)).toEqual([9, 3]);
    expect(asked[1]?.proof).toEqual(await proofFrom(3, 9));
    expect(await askWitness(setting, 3, logOf(9))).toMatchObject({ kind: 'CONFIRMED' });
    expect(asked).toHaveLength(3);
  });

  test('D124: a witness that is ahead of the database is a conflict', async () => {
    const { setting } = await witness(() => conflict(12));
    expect(await askWitness(setting, undefined, logOf(9, 11))).toMatchObject({
      kind: 'CONFLICT',
      error: { message: expect.stringContaining('has cosigned 12 entries of this log, but the database has 11') },
    });
  });

  test('a tree that another process had cosigned is no conflict', async () => {
    const { asked, setting } = await witness((request) => (request.oldSize === 12 ? agree(request) : conflict(12)));
    expect(await askWitness(setting, 9, logOf(9, 12))).toMatchObject({ kind: 'CONFIRMED', tree: { size: 12 } });
    expect(asked.map(({ oldSize }) => oldSize)).toEqual([9, 12]);
  });

  test('an unavailable database is no conflict', async () => {
    const { setting } = await witness(() => conflict(12));
    const log = { ...logOf(9), catchUp: () => Promise.reject(new Error('the database does not answer')) };
    await expect(askWitness(setting, undefined, log)).rejects.toThrow('does not answer');
  });

  test.each([
    ['the same size and another root', conflict(9)],
    ['a proof that does not hold', { status: 422 }],
  ])('D124: %s is a conflict', async (_, said) => {
    const { setting } = await witness(() => said);
    expect(await askWitness(setting, undefined, logOf(9))).toMatchObject({
      kind: 'CONFLICT',
      error: { message: expect.stringContaining('a history of this log that differs') },
    });
  });

  test.each<[string, (request: { checkpoint: string; oldSize: number }) => Said]>([
    ['nothing', () => ({ status: 200 })],
    ['rubbish', () => ({ status: 200, body: '<html>hello</html>' })],
    ['the cosignature of another key', ({ checkpoint }) => ({ status: 200, body: lines(checkpoint, impostor) })],
    ['the cosignature of another tree', () => ({ status: 200, body: lines(made.checkpoint(8)) })],
    ['the plain signature of the log', ({ checkpoint }) => ({ status: 200, body: checkpoint.split('\n\n')[1] as string })],
    ['a page instead of a size', () => ({ status: 409, type: 'text/html', body: '12\n' })],
    ['a size that is none', () => conflict('a dozen')],
    ['sizes that always change', ({ oldSize }) => conflict(oldSize === 3 ? 4 : 3)],
    ['a refusal of what it asked for', () => conflict(3)],
    ['that it does not know the log', () => ({ status: 404 })],
    ['that it does not know the key', () => ({ status: 403 })],
    ['an error', () => ({ status: 500, body: 'oops' })],
  ])('D125: %s is neither a confirmation nor a conflict', async (_, say) => {
    const { setting } = await witness(say);
    expect(await askWitness(setting, undefined, logOf(9))).toMatchObject({ kind: 'FAILED' });
  });

  test('D125: rejects a replayed cosignature', async () => {
    const old = Math.floor(Date.now() / 1000) - 120;
    const { setting } = await witness(({ checkpoint }) => ({ status: 200, body: lines(checkpoint, key, old) }));
    expect(await askWitness(setting, undefined, logOf(9))).toMatchObject({
      kind: 'FAILED',
      reason: expect.stringContaining('correct both clocks'),
    });
  });

  test('D125: does not follow redirects, and limits the response length', async () => {
    const redirecting = await witness(() => ({ status: 307, headers: { location: 'http://127.0.0.1:1/' } }));
    await expect(askWitness(redirecting.setting, undefined, logOf(9))).rejects.toThrow(WitnessUnreachable);
    const endless = await witness(() => ({ status: 200, body: 'x'.repeat(100_000) }));
    await expect(askWitness(endless.setting, undefined, logOf(9))).rejects.toThrow('more than 65536 bytes');
  });
});

describe('several witnesses', () => {
  const silent = { info: () => {}, warn: () => {} };

  test('collects the cosignatures of the newest tree, and stops at one conflict', async () => {
    const second: SignerKey = { name: 'witness.example/two', type: 'cosignature', seed: new Uint8Array(32).fill(7) };
    let isTorn = false;
    const one = await witness(agree);
    const two = await witness(({ checkpoint }) => (isTorn ? { status: 422 } : { status: 200, body: lines(checkpoint, second) }));
    const alarms: string[] = [];
    const witnesses = [one.setting, { url: two.setting.url, key: verifierKeyOf(second) }];
    const witnessing = createWitnessPoller({
      ...logOf(9),
      witnesses,
      requireSeconds: 60,
      log: silent,
      alarm: (what) => alarms.push(what),
    });
    expect(witnessing.error()).toMatchObject({ message: expect.stringContaining('No witness has confirmed') });
    await witnessing.ask();
    expect(witnessing.error()).toBeUndefined();
    const names = parseNote(witnessing.cosigned()?.checkpoint as string).signatures.map(({ name }) => name);
    expect(names).toEqual([made.key.name, key.name, second.name]);
    isTorn = true;
    await witnessing.ask();
    expect(witnessing.error()).toMatchObject({
      message: expect.stringContaining('witness.example/two has cosigned a history of this log that differs'),
    });
    await witnessing.ask();
    expect(alarms).toHaveLength(1);
    isTorn = false;
    await witnessing.ask();
    expect(witnessing.error()).toBeUndefined();
  });

  test('one responding witness is enough if one is required', async () => {
    const one = await witness(agree);
    const witnesses = [{ url: 'http://127.0.0.1:1', key: verifierKeyOf(impostor) }, one.setting];
    const witnessing = createWitnessPoller({ ...logOf(9), witnesses, requireSeconds: 60, log: silent, alarm: () => {} });
    await witnessing.ask();
    expect(witnessing.error()).toBeUndefined();
  });
});

async function proofFrom(oldSize: number, newSize: number) {
  return parseAddCheckpoint(await made.request(oldSize, newSize)).proof;
}
