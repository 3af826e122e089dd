import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig, readFlags } from '../src/config.ts';
import { toolNames } from '../src/index.ts';
import { type AgentService, ethereum, LABEL, PAYEE, startAgentService, USDC } from './support.ts';

const bin = join(import.meta.dirname, '../bin/countersign-mcp.js');
const token = 'a-token-of-thirty-two-characters-or-more';

let service: AgentService;
beforeAll(async () => {
  service = await startAgentService();
  await writeFile(join(service.folder, 'token'), `${token}\n`);
});
afterAll(() => service?.close());

const newClient = () => new Client({ name: 'test', version: '1' });

/** Starts the command with streamable HTTP on a free port, and returns its address and output. */
async function serveHttp(...more: readonly string[]) {
  const flags = ['--credentials', service.credentials, '--state-dir', join(service.folder, 'http'), '--http-port', '0'];
  const child = spawn(process.execPath, [bin, ...flags, '--token-file', join(service.folder, 'token'), ...more], {
    env: { PATH: process.env.PATH },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(output)));
    child.stderr.on('data', (chunk) => {
      output += chunk;
      const [found] = /http:\S+/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  return {
    url,
    output: () => output,
    async close() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

const transports = {
  async stdio(client: Client) {
    const args = [bin, '--credentials', service.credentials, '--state-dir', join(service.folder, 'stdio')];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
    return () => client.close();
  },
  async 'streamable HTTP'(client: Client) {
    const server = await serveHttp();
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
    return async () => {
      await client.close();
      await server.close();
    };
  },
};

describe.each(Object.entries(transports))('over %s, with the client of the SDK', (name, connect) => {
  let client: Client;
  let close: () => Promise<unknown>;
  beforeAll(async () => {
    client = newClient();
    close = await connect(client);
  });
  afterAll(() => close?.());

  const call = (tool: string, args: Record<string, unknown> = {}) => client.callTool({ name: tool, arguments: args });

  test('lists every tool with schemas and honest annotations', async () => {
    expect(client.getServerVersion()?.name).toBe('countersign');
    expect(client.getInstructions()).toContain('untrusted');
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).sort()).toEqual([...toolNames].sort());
    for (const { name: tool, inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema.type, tool).toBe('object');
      expect(outputSchema?.type, tool).toBe('object');
      const signs = /^(propose_|sign_|pay_)/.test(tool);
      expect(annotations, tool).toMatchObject({ readOnlyHint: !signs, destructiveHint: signs });
    }
  });

  test('D703: marks what others wrote, on one line, without hidden characters', async () => {
    const { structuredContent } = await call('list_contacts');
    expect(structuredContent).toMatchObject({ contacts: [{ label: { untrusted: LABEL }, address: PAYEE, tags: ['payees'] }] });
    const wallets = await call('list_wallets');
    const [{ accounts }] = (wallets.structuredContent as { wallets: [{ accounts: object[] }] }).wallets;
    expect(accounts).toContainEqual({ address: service.address, chain: 'ethereum' });
  });

  test('simulates and pays a contact, and answers a pending approval as a result', async () => {
    const payment = { from: service.address, to: PAYEE, asset: USDC, amount: '2.5', ethereum };
    const simulated = await call('simulate_payment', payment);
    expect(simulated.structuredContent).toMatchObject({
      outcome: 'would_be_signed',
      effects: [{ kind: 'TRANSFER', asset: USDC.toLowerCase(), units: '2.5', to: PAYEE.toLowerCase() }, { kind: 'FEE' }],
    });
    const paid = await call('propose_payment', { ...payment, reference: `invoice 1 ${name}` });
    expect(paid.isError, JSON.stringify(paid.content)).toBeFalsy();
    expect(paid.structuredContent).toMatchObject({
      outcome: 'signed',
      repeated: false,
      signedTransaction: expect.stringMatching(/^(0x)?02/),
    });
    const large = await call('propose_payment', { ...payment, amount: '500', reference: `invoice 2 ${name}` });
    expect(large.isError).toBeFalsy();
    expect(large.structuredContent).toMatchObject({ outcome: 'pending_approval', approvals: { given: 1 } });
    const { activityId, approvals } = large.structuredContent as { activityId: string; approvals: { mayApprove: object[] } };
    expect(approvals.mayApprove.length).toBeGreaterThan(0);
    const pending = await call('list_pending_approvals');
    expect(pending.structuredContent).toMatchObject({ pending: [{ activityId }] });
    const { activity } = await service.root.getActivity({ activityId });
    await service.root.approveActivity({ fingerprint: activity.fingerprint });
    expect((await call('get_activity', { activityId })).structuredContent).toMatchObject({ outcome: 'signed', activityId });
    expect((await call('list_pending_approvals')).structuredContent).toMatchObject({ pending: [] });
  });

  test('reports a denial with its explanation, and an input error with the next step', async () => {
    const denied = await call('propose_payment', {
      reference: `stranger ${name}`,
      from: service.address,
      to: `0x${'77'.repeat(20)}`,
      asset: USDC,
      amount: '1',
      ethereum,
    });
    expect(denied.structuredContent).toMatchObject({ outcome: 'denied', next: expect.stringContaining('explain_activity') });
    const { activityId } = denied.structuredContent as { activityId: string };
    const explained = await call('explain_activity', { activityId });
    expect(explained.structuredContent).toMatchObject({ decisions: [{ outcome: 'DENY' }] });
    const wrong = await call('propose_payment', {
      reference: 'x',
      from: service.address,
      to: 'No contact',
      asset: USDC,
      amount: '1',
      ethereum,
    });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/RECIPIENT_NOT_FOUND.*"next":/) }] });
    const unsent = await call('propose_payment', { reference: 'y', from: service.address, to: PAYEE, asset: USDC, amount: '1' });
    expect(unsent.isError).toBe(true);
  });
});

describe('streamable HTTP', () => {
  let server: Awaited<ReturnType<typeof serveHttp>>;
  beforeAll(async () => {
    server = await serveHttp('--tools', 'list_wallets', '--allowed-origin', 'https://desk.example');
  });
  afterAll(() => server?.close());

  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
  };

  /** A request with headers that fetch does not let a program choose. */
  function post(headers: Record<string, string>, body: object = initialize): Promise<{ status: number; text: string }> {
    const own = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    };
    return new Promise((resolve, reject) => {
      const sent = request(server.url, { method: 'POST', agent: false, headers: { ...own, ...headers } }, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, text });
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }

  test('serves clients of the year before, and only the tools that the operator named', async () => {
    const { status, text } = await post({});
    expect(status, text).toBe(200);
    expect(text).toContain('"protocolVersion":"2025-06-18"');
    const listed = await post({ 'mcp-protocol-version': '2025-06-18' }, { jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect(listed.text).toContain('list_wallets');
    expect(listed.text).not.toContain('propose_payment');
  });

  test('D702: without the token, for another host or from a web page, nothing is served', async () => {
    const { host } = new URL(server.url);
    expect((await post({ host })).status).toBe(200);
    expect((await post({ authorization: '' })).status).toBe(401);
    expect((await post({ authorization: `Bearer ${token}x` })).status).toBe(401);
    expect((await post({ authorization: `Basic ${token}` })).status).toBe(401);
    expect((await post({ host: 'evil.example' })).status).toBe(403);
    expect((await post({ host: `evil.example:${new URL(server.url).port}` })).status).toBe(403);
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ origin: 'null' })).status).toBe(403);
    expect((await post({}, { filler: 'x'.repeat(2_000_000) })).status).toBe(413);
  });

  test('D702: an origin that the operator named is served', async () => {
    expect((await post({ origin: 'https://desk.example' })).status).toBe(200);
  });

  test('D702: it does not start without a token, on other addresses without a name, without TLS, or with one half of a key', () => {
    const start = (flags: readonly string[], env: Record<string, string> = {}) =>
      readConfig(readFlags(['--credentials', service.credentials, ...flags]), env);
    const env = { COUNTERSIGN_MCP_TOKEN: token };
    expect(start(['--http-port', '0'], env).http).toMatchObject({ host: '127.0.0.1', allowedHosts: [], allowedOrigins: [] });
    expect(() => start(['--http-port', '0'])).toThrow('bearer token');
    expect(() => start(['--http-port', '0'], { COUNTERSIGN_MCP_TOKEN: 'short' })).toThrow('bearer token');
    expect(() => start(['--http-port', '0', '--host', '0.0.0.0'], env)).toThrow('--allowed-host');
    expect(() => start(['--url', 'http://sign.example.com'])).toThrow('TLS');
    expect(() => start(['--tools', 'create_policy'])).toThrow('There is no tool');
    expect(() => start([], { COUNTERSIGN_API_PRIVATE_KEY: service.key.apiPrivateKey })).toThrow('one half');
  });

  test('D702: a file with a key that cannot be read is not quoted', async () => {
    const broken = join(service.folder, 'broken.json');
    await writeFile(broken, `{"apiPrivateKey":"${service.key.apiPrivateKey}`);
    const child = spawn(process.execPath, [bin, '--credentials', broken], { env: { PATH: process.env.PATH } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    const [code] = await once(child, 'close');
    expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining('is not JSON') });
    expect(output + server.output()).not.toContain(service.key.apiPrivateKey);
    expect(server.output()).not.toContain(token);
  });
});
