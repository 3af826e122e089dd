import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { ethereumTransaction } from '@countersign/chains';
import { fetchWebhookKeys, verifyWebhook } from '@countersign/client';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Transaction } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../test/support/data-directory.ts';
import { readChain, sendTransaction } from '../src/dev/chain.ts';
import { EXAMPLE_RECEIVER, exampleTerms, unsignedPayment } from '../src/dev/payment.ts';
import { startNode } from './json-rpc-node.ts';
import { runCli } from './run-cli.ts';

const bin = join(import.meta.dirname, '../bin/countersign.js');

/** JSON lines of a process, in order. */
function linesOf(child: ChildProcess) {
  const seen: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> }).on('line', (line) => {
    if (line.startsWith('{')) seen.push(JSON.parse(line));
    for (const look of waiting) look();
  });
  return {
    seen,
    until: <T>(find: (line: never) => T | undefined) =>
      new Promise<T>((resolve) => {
        const look = () => {
          for (const line of seen) {
            const found = find(line as never);
            if (found === undefined) continue;
            waiting.delete(look);
            resolve(found);
            return;
          }
        };
        waiting.add(look);
        look();
      }),
  };
}

describe('countersign dev', () => {
  let temporary: string;
  let child: ChildProcess;
  let lines: ReturnType<typeof linesOf>;
  let node: Awaited<ReturnType<typeof startNode>>;
  let ready: {
    url: string;
    folder: string;
    address: string;
    chainId: string;
    people: { name: string; file: string }[];
    mailbox: string;
  };
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const receiver = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(202).end();
  });

  beforeAll(async () => {
    temporary = makeDataDirectory('dev-test');
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const { port } = receiver.address() as AddressInfo;
    node = await startNode(31_337n);
    const argv = [bin, 'dev', '--port', '0', '--json', '--forward-to', `http://127.0.0.1:${port}/hooks`, '--rpc-url', node.url];
    child = spawn(process.execPath, argv, {
      env: { PATH: process.env.PATH, TMPDIR: temporary },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    lines = linesOf(child);
    ready = await lines.until((line: typeof ready) => (line.url === undefined ? undefined : line));
  });
  afterAll(async () => {
    if (child?.exitCode === null) child.kill('SIGKILL');
    receiver.close();
    node?.close();
    await rm(temporary, { recursive: true, force: true });
  });

  const as = (name: string, argv: readonly string[]) => {
    const file = ready.people.find((person) => person.name === name)?.file ?? '';
    return runCli(argv, { environment: { COUNTERSIGN_CREDENTIALS: file } });
  };
  type Seen = { event?: { id: string; payload: { id: string; status: string } }; request?: { path: string; decision: string } };
  const eventOf = (id: string, status: string) =>
    lines.until(({ event }: Seen) => (event?.payload.id === id && event.payload.status === status ? event : undefined));

  test('only the owner can read the keys, and the mailbox has a page', async () => {
    for (const { file } of ready.people) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(ready.folder).mode & 0o777).toBe(0o700);
    const page = await fetch(ready.mailbox);
    expect(page.status).toBe(200);
  });

  test('a payment is pending for the second person; requests and events are shown and forwarded unchanged', async () => {
    const asked = await as('Ann', ['trigger', 'waiting', '--json']);
    const { activity } = JSON.parse(asked.stdout);
    expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    await eventOf(activity.id, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    expect((await as('Ben', ['pending'])).stdout).toContain('Ann asks: send 5 ETH to "Acme"');
    expect(await as('Ben', ['approve', '--yes'])).toMatchObject({ code: 0 });
    const { id } = await eventOf(activity.id, 'ACTIVITY_STATUS_COMPLETED');
    const approved = await lines.until(({ request }: Seen) => (request?.path.endsWith('approve_activity') ? request : undefined));
    expect(approved.decision).toBe('ACTIVITY_STATUS_COMPLETED');

    const keySet = await fetchWebhookKeys(ready.url);
    const delivery = received.find(({ headers }) => headers['x-turnkey-event-id'] === id);
    expect(verifyWebhook(delivery ?? { headers: {}, body: '' }, { keySet }).id).toBe(id);

    child.stdin?.write(`r ${id.slice(0, 12)}\n`);
    const copies = () => received.filter(({ headers }) => headers['x-turnkey-event-id'] === id);
    await expect.poll(() => copies().length).toBe(2);
    expect(copies()[1]?.body).toBe(copies()[0]?.body);
  });

  test('one person can pay a small amount and nothing else', async () => {
    const small = JSON.parse((await as('Ben', ['trigger', 'completed', '--json'])).stdout);
    expect(small.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
    expect(await as('Ann', ['trigger', 'failed'])).toMatchObject({ code: 3 });
    const denied = await lines.until(({ request }: Seen) => (request?.decision === 'POLICY_DENIED' ? request : undefined));
    expect(denied.path).toContain('create_user_tag');
    expect(await as('Ann', ['trigger', 'nonsense'])).toMatchObject({ code: 2 });
  });

  test('builds a payment for the chain of the node and sends it', async () => {
    expect(ready.chainId).toBe('31337');
    const pay = () => as('Ann', ['trigger', 'payment', '--json', '--rpc-url', node.url]);
    expect(await pay()).toMatchObject({ code: 1, stderr: expect.stringContaining('insufficient funds') });
    node.account(ready.address).balance = 10n ** 18n;
    for (const nonce of [1n, 2n]) {
      const { transactionHash } = JSON.parse((await pay()).stdout);
      expect(transactionHash).toMatch(/^0x[0-9a-f]{64}$/);
      expect(node.account(ready.address).nonce).toBe(nonce);
      expect(node.account(EXAMPLE_RECEIVER).balance).toBe(nonce * 10n ** 16n);
    }
    const asked = node.asked.length;
    expect(await as('Ann', ['trigger', 'payment'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--rpc-url') });
    expect(node.asked.length).toBe(asked);
  });

  test('D188: forwards only deliveries of the service', async () => {
    const { stdout } = await runCli(['list-webhook-endpoints', '--query', 'webhookEndpoints[0].url'], {
      environment: { COUNTERSIGN_CREDENTIALS: join(ready.folder, 'credentials.json'), COUNTERSIGN_URL: ready.url },
    });
    const before = received.length;
    const [genuine] = received;
    const kept = Object.entries(genuine?.headers ?? {}).filter(([name]) => name.startsWith('x-turnkey-'));
    const headers = Object.fromEntries(kept) as Record<string, string>;
    const forged = await fetch(stdout.trim(), { method: 'POST', headers, body: '{"forged":true}' });
    expect(forged.status).toBe(403);
    expect((await fetch(stdout.trim(), { method: 'POST', headers, body: genuine?.body ?? '' })).status).toBe(202);
    // The genuine delivery shows that only the signature was missing.
    expect(received.length).toBe(before + 1);
  });

  test('listen shows events and removes its endpoint', async () => {
    const environment = { COUNTERSIGN_CREDENTIALS: join(ready.folder, 'credentials.json'), COUNTERSIGN_URL: ready.url };
    const endpoints = async () =>
      (await runCli(['list-webhook-endpoints', '--query', 'length(webhookEndpoints)'], { environment })).stdout;
    let stop = () => {};
    let hear = (_: string) => {};
    const heard = new Promise<string>((resolve) => {
      hear = resolve;
    });
    const untilStopped = () =>
      new Promise<void>((resolve) => {
        stop = resolve;
      });
    const listening = runCli(['listen', '--json'], { environment, untilStopped, onOutput: hear });
    await expect.poll(endpoints).toBe('2\n');
    await as('Ann', ['trigger', 'completed']);
    expect(JSON.parse(await heard).event.payload.type).toMatch(/WEBHOOK_ENDPOINT|SIGN_TRANSACTION/);
    stop();
    expect(await listening).toMatchObject({ code: 0 });
    expect(await endpoints()).toBe('1\n');
  });

  test('events prints the updates of activities and continues after a number', async () => {
    const environment = { COUNTERSIGN_CREDENTIALS: join(ready.folder, 'credentials.json'), COUNTERSIGN_URL: ready.url };
    const read = async (...args: string[]) => {
      const { stdout, code } = await runCli(['events', '--json', ...args], { environment });
      expect(code).toBe(0);
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    };
    const all = await read();
    expect(all.length).toBeGreaterThan(2);
    expect(all[0]).toMatchObject({ activityId: all[0].activity.id, status: 'ACTIVITY_STATUS_COMPLETED' });
    expect(await read('--from', all[1].sequence)).toEqual(all.slice(1));
    const { stdout: text } = await runCli(['events'], { environment });
    expect(text).toContain(all[0].activityId);
    let stop = () => {};
    let hear = (_: string) => {};
    const heard = new Promise<string>((resolve) => {
      hear = resolve;
    });
    const untilStopped = () =>
      new Promise<void>((resolve) => {
        stop = resolve;
      });
    const next = String(Number(all.at(-1).sequence) + 1);
    const following = runCli(['events', '--follow', '--json', '--from', next], { environment, untilStopped, onOutput: hear });
    await as('Ann', ['trigger', 'completed']);
    expect(Number(JSON.parse(await heard).sequence)).toBeGreaterThanOrEqual(Number(next));
    stop();
    expect(await following).toMatchObject({ code: 0 });
  });

  test('Ctrl-C removes all data', async () => {
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(existsSync(ready.folder)).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
    await expect(fetch(ready.url)).rejects.toThrow();
  });
});

test.each([
  [['dev', '--port', 'eighty'], '--port must be a number'],
  [['dev', '--forward-to', 'nowhere'], '--forward-to is not a URL'],
  [['dev', '--rpc-url', 'nowhere'], '--rpc-url is not a URL'],
  [['listen', '--forward-to', 'nowhere'], '--forward-to is not a URL'],
  [['events', '--from', 'today'], '--from is not a whole number from 1'],
])('rejects %j', async (argv, message) => {
  expect(await runCli(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test.each([
  ['another hash', () => ({ result: `0x${'ab'.repeat(32)}` })],
  ['no number', () => ({ result: '12' })],
  ['nothing', () => ({})],
])('D227: rejects a node response with %s', async (what, answer) => {
  const server = createServer((_, response) => response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer() })));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key`;
    await expect(sendTransaction(url, '02c0')).rejects.toThrow('is invalid');
    if (what !== 'another hash') await expect(readChain(url, EXAMPLE_RECEIVER)).rejects.toThrow('is invalid');
  } finally {
    server.close();
  }
});

test('D227: does not show the path of a node URL, which may be a key', async () => {
  const fault = await readChain('http://127.0.0.1:1/secret-key', EXAMPLE_RECEIVER).catch((error: Error) => error.message);
  expect(fault).toContain('http://127.0.0.1:1 does not respond');
  expect(fault).not.toContain('secret-key');
});

test('the service parses the example payment', () => {
  for (const nonce of [0, 1, 127, 128, 999_999]) {
    const signer = { curve: 'CURVE_SECP256K1', publicKey: secp256k1.getPublicKey(secp256k1.utils.randomSecretKey()) } as const;
    const { effects } = ethereumTransaction.parse(unsignedPayment(5n * 10n ** 18n, exampleTerms(nonce)), {
      signer,
      interfaces: [],
    });
    expect(effects).toContainEqual(expect.objectContaining({ kind: 'TRANSFER', amount: 5n * 10n ** 18n }));
  }
  // An independent decoder of the same bytes, with numbers that need the long list form.
  const terms = { chainId: 2n ** 48n, nonce: 2n ** 40n, maxPriorityFeePerGas: 2n ** 60n, maxFeePerGas: 2n ** 62n };
  const read = Transaction.from(`0x${unsignedPayment(2n ** 90n, terms)}`);
  expect(read).toMatchObject({
    chainId: 2n ** 48n,
    nonce: 2 ** 40,
    value: 2n ** 90n,
    maxFeePerGas: 2n ** 62n,
    to: EXAMPLE_RECEIVER,
  });
});
