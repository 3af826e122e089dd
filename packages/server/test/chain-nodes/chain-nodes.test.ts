import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { ServiceError } from '@countersign/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { NodeRejection } from '../../src/chain-nodes/node-errors.ts';
import { type ChainNodes, openChainNodes } from '../../src/chain-nodes/open-chain-nodes.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { serveHttp, serveTcp } from '../notify/webhooks/loopback-server.ts';
import { ethereumNode, serveNode } from './node-server.ts';

const CHAIN = 'eip155:1';
const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/)
  .transform(BigInt);
const blockNumber = { method: 'eth_blockNumber', params: [], result: quantity };

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function started<T extends { close(): unknown }>(server: Promise<T>): Promise<T> {
  const running = await server;
  ends.push(() => running.close());
  return running;
}

interface Opened extends ChainNodes {
  readonly outcomes: string[];
  readonly disagreements: string[];
  logText(): string;
  /** Moves the clock of the endpoints. */
  wait(ms: number): void;
}

interface Choice {
  readonly networks?: string;
  readonly timeoutSeconds?: string;
}

function open(
  chains: Readonly<Record<string, unknown>>,
  { networks = '127.0.0.0/8', timeoutSeconds = '10' }: Choice = {},
): Opened {
  const lines: unknown[] = [];
  const outcomes: string[] = [];
  const disagreements: string[] = [];
  let aheadMs = 0;
  const log = { warn: (...line: unknown[]) => lines.push(line), error: (...line: unknown[]) => lines.push(line) };
  const config = readConfig(
    { chainEndpoints: JSON.stringify(chains), chainNetworks: networks, chainTimeoutSeconds: timeoutSeconds },
    {},
  );
  const reports = {
    request: (_chain: string, host: string, outcome: string) => outcomes.push(`${host} ${outcome}`),
    disagreement: (chain: string) => disagreements.push(chain),
  };
  const nodes = openChainNodes(config, reports, log as never, () => performance.now() + aheadMs);
  ends.push(nodes.close);
  const wait = (ms: number) => {
    aheadMs += ms;
  };
  return { ...nodes, outcomes, disagreements, logText: () => JSON.stringify(lines), wait };
}

/** The code of the ServiceError that a call ends with. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ServiceError) return error.code;
  throw error ?? new Error('the call did not fail');
}

describe('calls', () => {
  test('a chain without an endpoint names the setting', () => {
    expect(() => open({}).of(CHAIN)).toThrow('setting chainEndpoints');
  });

  test('nothing is contacted before a call, and the chain is checked before the first one', async () => {
    const node = await started(ethereumNode({ eth_blockNumber: '0x10' }));
    const nodes = open({ [CHAIN]: [node.url] });
    expect(nodes.health()).toEqual({ [CHAIN]: [{ host: node.host, status: 'unknown' }] });
    expect(node.connections()).toBe(0);
    expect(await nodes.of(CHAIN).call(blockNumber)).toBe(16n);
    expect(await nodes.of(CHAIN).call(blockNumber)).toBe(16n);
    expect(node.methods).toEqual(['eth_chainId', 'eth_blockNumber', 'eth_blockNumber']);
    expect(nodes.outcomes).toEqual([`${node.host} ok`, `${node.host} ok`]);
  });

  test('the next endpoint is used while one fails, and the first again after a pause', async () => {
    let isDown = true;
    const first = await started(
      serveHttp(async (request, response) => {
        const { id, method } = JSON.parse(await text(request));
        if (isDown) response.writeHead(502).end('bad gateway');
        else response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'eth_chainId' ? '0x1' : '0x1' }));
      }),
    );
    const second = await started(ethereumNode({ eth_blockNumber: '0x2' }));
    const nodes = open({ [CHAIN]: [`http://127.0.0.1:${first.port}`, second.url] });
    expect(await nodes.of(CHAIN).call(blockNumber)).toBe(2n);
    expect(nodes.health()[CHAIN]).toMatchObject([{ status: 'down', failure: 'HTTP_STATUS' }, { status: 'up' }]);
    isDown = false;
    nodes.wait(20_000);
    expect(await nodes.of(CHAIN).call(blockNumber)).toBe(1n);
    expect(nodes.logText()).toContain('responds again');
  });

  test('an error of the node is its answer: other endpoints are not called', async () => {
    const first = await started(
      serveNode((method) => (method === 'eth_chainId' ? '0x1' : { error: { code: -32000, message: 'nonce too low\n\u0007' } })),
    );
    const second = await started(ethereumNode({ eth_blockNumber: '0x2' }));
    const nodes = open({ [CHAIN]: [first.url, second.url] });
    const error = await nodes
      .of(CHAIN)
      .call(blockNumber)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NodeRejection);
    expect(error).toMatchObject({ code: -32000, message: 'nonce too low' });
    expect(second.connections()).toBe(0);
  });

  test('a limit of the endpoint is not an answer', async () => {
    const first = await started(
      serveNode((method) => (method === 'eth_chainId' ? '0x1' : { error: { code: -32005, message: 'limit exceeded' } })),
    );
    const second = await started(ethereumNode({ eth_blockNumber: '0x2' }));
    expect(
      await open({ [CHAIN]: [first.url, second.url] })
        .of(CHAIN)
        .call(blockNumber),
    ).toBe(2n);
  });

  test.each([
    ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', { getGenesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' }],
    [
      'bip122:000000000019d6689c085ae165831e93',
      { getblockhash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f' },
    ],
  ])('%s is recognized by its first block', async (chain, identity: Record<string, string>) => {
    const node = await started(serveNode((method) => identity[method] ?? '0x7'));
    expect(
      await open({ [chain]: [node.url] })
        .of(chain)
        .call({ ...blockNumber, method: 'other' }),
    ).toBe(7n);
    const [first, last] = [chain.slice(0, -1), chain.endsWith('1') ? '2' : '1'];
    expect(
      await codeOf(
        open({ [first + last]: [node.url] })
          .of(first + last)
          .call(blockNumber),
      ),
    ).toBe('CHAIN_UNAVAILABLE');
  });

  test('tron: the method is a path, and the chain is recognized by its first block', async () => {
    const paths: string[] = [];
    const blockID = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';
    const node = await started(
      serveHttp(async (request, response) => {
        paths.push(`${request.url} ${await text(request)}`);
        response.end(request.url?.endsWith('getblockbynum') ? JSON.stringify({ blockID }) : '{"balance":9007199254740993}');
      }),
    );
    const nodes = open({ 'tron:0x2b6653dc': [`http://127.0.0.1:${node.port}/api/`] });
    const account = { method: 'wallet/getaccount', params: { address: 'T' }, result: z.object({ balance: z.bigint() }) };
    expect(await nodes.of('tron:0x2b6653dc').call(account)).toEqual({ balance: 9007199254740993n });
    expect(paths).toEqual(['/api/wallet/getblockbynum {"num":0}', '/api/wallet/getaccount {"address":"T"}']);
  });
});

describe('hostile endpoints', () => {
  const answering = async (listener: RequestListener) => {
    const server = await started(serveHttp(listener));
    return { ...server, url: `http://127.0.0.1:${server.port}` };
  };

  test.each([301, 302, 307, 308])('D760: a redirect (%i) is not followed', async (status) => {
    const inside = await started(ethereumNode({ eth_blockNumber: '0x1' }));
    const server = await answering((_request, response) => void response.writeHead(status, { location: inside.url }).end());
    const nodes = open({ [CHAIN]: [server.url] });
    expect(await codeOf(nodes.of(CHAIN).call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
    expect(inside.connections()).toBe(0);
    expect(nodes.outcomes).toEqual([`127.0.0.1:${server.port} http_status`]);
  });

  test('D760: an address in a private network is refused unless the operator lists it', () => {
    expect(() => open({ [CHAIN]: ['https://10.0.0.1'] }, { networks: '' })).toThrow('chainNetworks');
    expect(() => open({ [CHAIN]: ['http://node.example.com'] }, { networks: '' })).not.toThrow();
    expect(() => open({ [CHAIN]: ['https://10.0.0.1'] }, { networks: '10.0.0.0/8' })).not.toThrow();
  });

  test('D760: a name with a private address is not connected to', async () => {
    const inside = await started(ethereumNode({ eth_blockNumber: '0x1' }));
    const nodes = open({ [CHAIN]: [inside.url.replace('127.0.0.1', 'localhost')] }, { networks: '10.0.0.0/8' });
    expect(await codeOf(nodes.of(CHAIN).call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
    expect(inside.connections()).toBe(0);
  });

  test('D760: a body without end is cut at the limit', async () => {
    let sent = 0;
    const server = await answering((_request, response) => {
      const send = () => {
        while (!response.destroyed && sent < 64_000_000) {
          sent += 65_536;
          if (!response.write(' '.repeat(65_536))) return void response.once('drain', send);
        }
      };
      send();
    });
    const nodes = open({ [CHAIN]: [server.url] });
    expect(await codeOf(nodes.of(CHAIN).call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
    expect(nodes.outcomes).toEqual([`127.0.0.1:${server.port} too_large`]);
    expect(sent).toBeLessThan(32_000_000);
  });

  test('D760: a slow response ends after the timeout', async () => {
    const server = await answering((_request, response) => {
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    });
    const nodes = open({ [CHAIN]: [server.url] }, { timeoutSeconds: '1' });
    expect(await codeOf(nodes.of(CHAIN).call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
    expect(nodes.outcomes).toEqual([`127.0.0.1:${server.port} timeout`]);
  });

  test.each([
    ['a compressed response', (_id: number) => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync('{}') })],
    ['another id', (id: number) => ({ body: `{"jsonrpc":"2.0","id":${id + 1},"result":"0x1"}` })],
    ['a name given twice', (id: number) => ({ body: `{"jsonrpc":"2.0","id":${id},"result":"0x1","result":"0x2"}` })],
    ['neither result nor error', (id: number) => ({ body: `{"jsonrpc":"2.0","id":${id}}` })],
    ['a list', (id: number) => ({ body: `[{"jsonrpc":"2.0","id":${id},"result":"0x1"}]` })],
    ['__proto__', (id: number) => ({ body: `{"jsonrpc":"2.0","id":${id},"result":{"__proto__":{}}}` })],
    ['deep nesting', (id: number) => ({ body: `{"jsonrpc":"2.0","id":${id},"result":${'['.repeat(90)}${']'.repeat(90)}}` })],
    ['a page', (_id: number) => ({ body: '<html>welcome</html>' })],
  ] as const)('D760: %s is not a response', async (_name, respond) => {
    const server = await answering(async (request, response) => {
      const { id } = JSON.parse(await text(request));
      const { headers = {}, body } = respond(id) as { headers?: Record<string, string>; body: string };
      response.writeHead(200, headers).end(body);
    });
    const nodes = open({ [CHAIN]: [server.url] });
    expect(await codeOf(nodes.of(CHAIN).call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
    expect(nodes.outcomes).toEqual([`127.0.0.1:${server.port} invalid_response`]);
  });

  test('D760: a connection that is closed or not HTTP', async () => {
    for (const answer of ['', 'HTTP/1.1 101 Switching\r\n\r\n', 'garbage\r\n\r\n']) {
      const server = await started(serveTcp((socket) => void socket.end(answer)));
      const nodes = open({ [CHAIN]: [`http://127.0.0.1:${server.port}`] });
      expect(await codeOf(nodes.of(CHAIN).call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
    }
  });

  test('D766: a result that is too long or wrong for one call does not pause the endpoint for others', async () => {
    const results: Record<string, unknown> = { eth_blockNumber: '0x5', long: 'x'.repeat(5_000_000), wrong: 'y' };
    const node = await started(ethereumNode(results));
    const nodes = open({ [CHAIN]: [node.url] });
    const client = nodes.of(CHAIN);
    for (const method of ['long', 'wrong', 'long']) {
      expect(await codeOf(client.call({ ...blockNumber, method }))).toBe('CHAIN_UNAVAILABLE');
      expect(await client.call(blockNumber)).toBe(5n);
    }
    expect(nodes.outcomes).toContain(`${node.host} too_large`);
    expect(nodes.outcomes).toContain(`${node.host} invalid_result`);
    expect(nodes.health()[CHAIN]).toMatchObject([{ status: 'up' }]);
  });

  test('D762: a node of another chain is never asked anything else', async () => {
    const node = await started(ethereumNode({ eth_blockNumber: '0x1' }, '0x5'));
    const nodes = open({ [CHAIN]: [node.url] });
    expect(await codeOf(nodes.of(CHAIN).call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
    nodes.wait(60_000);
    expect(await codeOf(nodes.of(CHAIN).call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
    expect(node.methods).toEqual(['eth_chainId', 'eth_chainId']);
    expect(nodes.health()[CHAIN]).toEqual([{ host: node.host, status: 'down', failure: 'WRONG_CHAIN' }]);
    expect(nodes.logText()).toContain('it is a node of eip155:5, not of eip155:1');
  });

  test('D762: the chain is checked again after a failure, and after some minutes', async () => {
    let chainId = '0x1';
    let isDown = false;
    const node = await started(
      serveNode((method) => (method === 'eth_chainId' ? chainId : isDown ? { error: { code: -32005, message: '' } } : '0x1')),
    );
    const nodes = open({ [CHAIN]: [node.url] });
    const client = nodes.of(CHAIN);
    await client.call(blockNumber);
    isDown = true;
    expect(await codeOf(client.call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
    [isDown, chainId] = [false, '0x5'];
    nodes.wait(60_000);
    expect(await codeOf(client.call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
    chainId = '0x1';
    nodes.wait(60_000);
    expect(await client.call(blockNumber)).toBe(1n);
    chainId = '0x5';
    nodes.wait(600_000);
    expect(await codeOf(client.call(blockNumber))).toBe('CHAIN_UNAVAILABLE');
  });

  test('D763: endpoints that disagree are an error, a metric and a log line with their hosts', async () => {
    const honest = await started(ethereumNode({ eth_blockNumber: '0x5' }));
    const lying = await started(ethereumNode({ eth_blockNumber: '0x6' }));
    const nodes = open({ [CHAIN]: [honest.url, lying.url] });
    const error = await nodes
      .of(CHAIN)
      .agree(blockNumber)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CHAIN_DISAGREEMENT', reason: `endpoints: ${honest.host}, ${lying.host}` });
    expect((error as Error).message).not.toContain(honest.host);
    expect(nodes.disagreements).toEqual([CHAIN]);
    expect(nodes.logText()).toContain(lying.host);
  });

  test('D763: one response is not enough if several endpoints are configured', async () => {
    const node = await started(ethereumNode({ eth_blockNumber: '0x5' }));
    const down = await started(ethereumNode({}, '0x9'));
    expect(
      await codeOf(
        open({ [CHAIN]: [node.url, down.url] })
          .of(CHAIN)
          .agree(blockNumber),
      ),
    ).toBe('CHAIN_UNAVAILABLE');
    expect(
      await open({ [CHAIN]: [node.url] })
        .of(CHAIN)
        .agree(blockNumber),
    ).toBe(5n);
    const other = await started(ethereumNode({ eth_blockNumber: '0x5' }));
    expect(
      await open({ [CHAIN]: [node.url, down.url, other.url] })
        .of(CHAIN)
        .agree(blockNumber),
    ).toBe(5n);
  });

  test('endpoints that differ for a moment agree at the second try', async () => {
    let number = 5;
    const slow = await started(serveNode((method) => (method === 'eth_chainId' ? '0x1' : `0x${number++}`)));
    const quick = await started(ethereumNode({ eth_blockNumber: '0x6' }));
    expect(
      await open({ [CHAIN]: [slow.url, quick.url] })
        .of(CHAIN)
        .agree(blockNumber),
    ).toBe(6n);
  });
});

describe('credentials', () => {
  const directory = mkdtempSync(join(tmpdir(), 'chain-nodes-'));
  const file = (name: string, content: string, mode = 0o600) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };

  test('are sent as bearer token or header, and a URL may be in a file', async () => {
    const node = await started(ethereumNode({ eth_blockNumber: '0x1' }));
    const bearerFile = file('token', 's3cret-token\n');
    await open({ [CHAIN]: [{ url: node.url, bearerFile }] })
      .of(CHAIN)
      .call(blockNumber);
    expect(node.headers().authorization).toBe('Bearer s3cret-token');
    await open({ [CHAIN]: [{ url: node.url, header: 'X-Api-Key', headerFile: bearerFile }] })
      .of(CHAIN)
      .call(blockNumber);
    expect(node.headers()['x-api-key']).toBe('s3cret-token');
    const urlFile = file('url', `${node.url}/v3/0123456789abcdef0123456789abcdef?key=s3cret\n`);
    expect(
      await open({ [CHAIN]: [{ urlFile }] })
        .of(CHAIN)
        .call(blockNumber),
    ).toBe(1n);
  });

  test.each([
    ['a query', { [CHAIN]: ['https://node.example.com/?key=s3cret'] }],
    ['a path', { [CHAIN]: ['https://node.example.com/v3/s3cret0123456789abcdef'] }],
    ['a password', { [CHAIN]: ['https://user:s3cret@node.example.com'] }],
    ['a misspelt field', { [CHAIN]: [{ url: 'https://node.example.com', bearer: 's3cret' }] }],
    ['the name of a chain', { 'https://node.example.com/s3cret': [] }],
  ])('D761: %s with a credential is refused, and not repeated', (_name, chains) => {
    expect(() => open(chains)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('s3cret') }));
  });

  test('D761: no error and no log line shows a credential', async () => {
    const node = await started(serveHttp((_request, response) => void response.writeHead(401).end('who is s3cret-token?')));
    const endpoint = {
      urlFile: file('url2', `http://127.0.0.1:${node.port}/s3cret-path?key=s3cret`),
      bearerFile: file('token2', 's3cret-token'),
    };
    const nodes = open({ [CHAIN]: [endpoint] });
    const error = await nodes
      .of(CHAIN)
      .call(blockNumber)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CHAIN_UNAVAILABLE', reason: expect.stringContaining('rejects the credential') });
    const shown = [
      (error as ServiceError).message,
      (error as ServiceError).reason,
      nodes.logText(),
      nodes.outcomes,
      nodes.health(),
    ];
    expect(JSON.stringify(shown)).not.toContain('s3cret');
    for (const content of ['ftp://s3cret', 's3cret', ''])
      expect(() => open({ [CHAIN]: [{ urlFile: file('url3', content) }] })).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('s3cret') }),
      );
  });

  test('D761: a node that repeats its URL or its credential in an error does not tell callers', async () => {
    const repeated = `${'x'.repeat(280)} /v2/s3cret-path?key=s3cret-key Bearer s3cret-token`;
    const node = await started(
      serveNode((method) =>
        method === 'eth_chainId' ? '0x1' : { error: { code: -32000, message: repeated, data: { url: ['/v2/s3cret-path'] } } },
      ),
    );
    const endpoint = {
      urlFile: file('url4', `${node.url}/v2/s3cret-path?key=s3cret-key`),
      bearerFile: file('token4', 's3cret-token'),
    };
    const nodes = open({ [CHAIN]: [endpoint] });
    const error = await nodes
      .of(CHAIN)
      .call(blockNumber)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'NodeRejection', code: -32000, message: expect.stringContaining('x /v2/[hidden]') });
    expect((error as NodeRejection).data).toBeUndefined();
    expect((error as NodeRejection).message).not.toContain('s3c');
  });

  test('D761: a file that others can read, or with several lines, is refused', () => {
    expect(() => open({ [CHAIN]: [{ url: 'https://node.example.com', bearerFile: file('open', 'x', 0o644) }] })).toThrow(
      'bearerFile',
    );
    expect(() => open({ [CHAIN]: [{ url: 'https://node.example.com', bearerFile: file('lines', 'a\r\nb: c') }] })).toThrow(
      'one line',
    );
    rmSync(directory, { recursive: true });
  });
});
