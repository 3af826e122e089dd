import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import { waitUntil } from '../../faults/fault/support/wait-until.ts';
import { interfaceParams } from '../../support/activity-params.ts';
import { encodeStamp, stampFields } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { createPrivateKey, createSubOrganization, signParams, uniqueName } from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';

const PATIENCE_MS = 60_000;
/** Of each worker. */
const RESPONSE_BYTES = 33_554_432;
const ATTACKER = '192.0.2.66';
const NEIGHBOUR = '192.0.2.1';
const POLICIES = 500;
const INTERFACES = 20;
const FUNCTIONS = 1_000;
const LONG_INPUTS = Array.from({ length: 3 }, (_, at) => ({ name: `${'x'.repeat(60)}${at}`, type: 'uint256' }));
const LARGE_ACTIVITIES = 12;

let installation: Installation;
let serving: Serving;
/** Stores as much as it can, and asks for it again and again. */
let attacker: Caller;
/** Another tenant, at another address. */
let neighbour: Caller;

const from = (address: string) => ({ 'x-forwarded-for': address });
const bodyOf = (caller: Caller, fields: object = {}) => JSON.stringify({ organizationId: caller.organizationId, ...fields });

type QueryName = Parameters<Caller['queryPath']>[0];
const attack = (name: QueryName, fields: object = {}) =>
  attacker.send(attacker.queryPath(name), bodyOf(attacker, fields), from(ATTACKER));
const whoami = async () => (await neighbour.send(neighbour.queryPath('whoami'), bodyOf(neighbour), from(NEIGHBOUR))).status;

beforeAll(async () => {
  installation = await engines.sqlite();
  serving = await serve(placeOf(installation), [
    ...['--workers', '2', '--trusted-proxies', '127.0.0.1/32', '--max-untaken-answer-bytes', String(RESPONSE_BYTES)],
    ...['--requests-per-address', '0', '--max-policies', String(POLICIES), '--connections-per-address', '1000'],
  ]);
  attacker = (await createSubOrganization(serving.root)).caller;
  neighbour = (await createSubOrganization(serving.root)).caller;
  const policy = () => ({
    ...{ policyName: uniqueName('Policy'), effect: 'EFFECT_DENY', condition: 'true', notes: 'n'.repeat(16_000) },
  });
  for (let made = 0; made < POLICIES; made += 50)
    await attacker.result('createPolicies', { policies: Array.from({ length: 50 }, policy) });
  const functions = Array.from({ length: FUNCTIONS }, (_, at) => ({
    ...{ type: 'function', name: `function${at}`, inputs: LONG_INPUTS, outputs: [], stateMutability: 'view' },
  }));
  const smartContractInterface = JSON.stringify(functions);
  for (let made = 0; made < INTERFACES; made++)
    await attacker.result('createSmartContractInterface', { ...interfaceParams(), smartContractInterface });
  const signWith = await createPrivateKey(attacker);
  for (let made = 0; made < LARGE_ACTIVITIES; made++)
    await attacker.result('signRawPayload', signParams(signWith, `${made} ${'x'.repeat(500_000)}`));
});
afterAll(async () => {
  expect(serving?.stderr()).toBe('');
  await serving?.kill();
  await installation?.remove();
});

/** The resident memory of the server and its workers, in bytes. */
function residentBytes(): number {
  const children = readFileSync(`/proc/${serving.pid}/task/${serving.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const ofOne = (pid: string | number) =>
    1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  return [serving.pid, ...children].reduce<number>((sum, pid) => sum + ofOne(pid), 0);
}

const agent = new Agent({ keepAlive: true });

/** Sends a query of the attacker and reads the response without parsing it: that would keep this process from asking for others. */
function ask(name: QueryName, fields: object): Promise<number> {
  const body = bodyOf(attacker, fields);
  const stamp = encodeStamp(stampFields(attacker.key, Buffer.from(body)));
  const headers = { 'content-type': 'application/json', 'x-stamp': stamp, ...from(ATTACKER) };
  return new Promise((resolve, reject) => {
    const sent = request(serving.url + attacker.queryPath(name), { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end(body);
  });
}

/** Repeats a query of the attacker on so many connections. Returns its statuses, and how many of them came during each `whoami`. */
async function besides(connections: number, name: QueryName, fields: object = {}) {
  const statuses: number[] = [];
  let isOver = false;
  const loops = Array.from({ length: connections }, async () => {
    while (!isOver) statuses.push(await ask(name, fields));
  });
  await waitUntil(PATIENCE_MS, async () => statuses.length > 0);
  const during: number[] = [];
  for (let asked = 0; asked < 15; asked++) {
    const before = statuses.length;
    expect(await whoami()).toBe(200);
    during.push(statuses.length - before);
  }
  isOver = true;
  await Promise.all(loops);
  agent.destroy();
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  return during.sort((a, b) => a - b)[during.length >> 1] as number;
}

/** Connections of the attacker that read the beginning of their response, and then nothing. */
function openSilent(count: number, name: QueryName): { sockets: Socket[]; heads: (string | undefined)[] } {
  const { hostname, port } = new URL(serving.url);
  const body = bodyOf(attacker);
  const lines = [
    `POST ${attacker.queryPath(name)} HTTP/1.1`,
    ...['Host: x', 'Content-Type: application/json', `Content-Length: ${body.length}`, `X-Forwarded-For: ${ATTACKER}`],
    `X-Stamp: ${encodeStamp(stampFields(attacker.key, Buffer.from(body)))}`,
  ];
  const heads: (string | undefined)[] = Array(count).fill(undefined);
  const sockets = heads.map((_, at) => {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      heads[at] = chunk.toString('latin1').slice(0, 500);
    });
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    return socket;
  });
  return { sockets, heads };
}

describe('D157: lists of a very large organization', () => {
  test('are given whole, or in full pages, and another tenant waits for few of them', async () => {
    const { policies } = (await attack('listPolicies')).body.activity.result;
    expect(policies).toHaveLength(POLICIES);
    const paginationOptions = { limit: '100' };
    const page = (await attack('listPolicies', { paginationOptions })).body.activity.result;
    expect(page.policies).toEqual(policies.slice(-100).reverse());
    expect(await besides(16, 'listPolicies', { paginationOptions })).toBeLessThan(16);
  });
});

describe('D250: lists of many megabytes', () => {
  test('contain no large texts, which the query of one item returns', async () => {
    const { smartContractInterfaces } = (await attack('listSmartContractInterfaces')).body.activity.result;
    expect(smartContractInterfaces).toHaveLength(INTERFACES);
    expect(JSON.stringify(smartContractInterfaces).length).toBeLessThan(INTERFACES * 1_000);
    const [{ smartContractInterfaceId, shortened }] = smartContractInterfaces;
    expect(shortened).toEqual({ fields: ['smartContractInterface'], query: 'get_smart_contract_interface' });
    const { smartContractInterface } = await attacker.data('getSmartContractInterface', { smartContractInterfaceId });
    expect(JSON.parse(smartContractInterface.smartContractInterface)).toHaveLength(FUNCTIONS);
  });

  test('another tenant waits for few of them', async () => {
    expect(await besides(12, 'listPolicies')).toBeLessThan(12);
  });

  test('take a bounded memory if two hundred connections do not read them, and others get theirs', async () => {
    const before = residentBytes();
    const { sockets, heads } = openSilent(200, 'listPolicies');
    let most = 0;
    const areAnswered = async () => {
      most = Math.max(most, residentBytes());
      return sockets.every((socket, at) => socket.destroyed || heads[at] !== undefined);
    };
    expect(await waitUntil(PATIENCE_MS, areAnswered)).toBe(true);
    expect(await whoami()).toBe(200);
    const own = await neighbour.send(neighbour.queryPath('getOrganization'), bodyOf(neighbour), from(NEIGHBOUR));
    expect(own.status).toBe(200);
    const isStatus = (status: number) => (head: string | undefined) => head?.startsWith(`HTTP/1.1 ${status}`) === true;
    const rejected = heads.filter(isStatus(503));
    expect(rejected.length).toBeGreaterThan(100);
    for (const head of rejected) expect(head).toContain('Retry-After: 1');
    expect(heads.filter(isStatus(200)).length).toBeGreaterThan(0);
    // All two hundred lists have 1.6 GB.
    expect(most - before).toBeLessThan(600_000_000);
    for (const socket of sockets) socket.destroy();
    expect(await waitUntil(PATIENCE_MS, async () => (await ask('listPolicies', {})) === 200)).toBe(true);
  });
});

describe('D252: activities of half a megabyte', () => {
  const filterByType = ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'];
  const list = { filterByType, paginationOptions: { limit: '100' } };

  test('are shortened in a list, which has all of them, and whole by themselves', async () => {
    const { activities } = (await attack('listActivities', list)).body.activity.result;
    expect(activities).toHaveLength(LARGE_ACTIVITIES);
    for (const { intent, votes, shortened } of activities) {
      expect([intent, votes[0].message]).toEqual([{}, '']);
      expect(shortened).toEqual({ fields: ['intent', 'votes.message', 'result'], query: 'get_activity' });
    }
    const { activity } = await attacker.data('getActivity', { activityId: activities[0].id });
    expect(activity.intent.signRawPayloadIntent.payload).toHaveLength(`${LARGE_ACTIVITIES - 1} `.length + 500_000);
  });

  test('another tenant waits for few requests for them', async () => {
    const [{ id: activityId }] = (await attack('listActivities', list)).body.activity.result.activities;
    expect(await besides(24, 'getActivity', { activityId })).toBeLessThan(24);
    expect(await besides(24, 'listActivities', list)).toBeLessThan(24);
  });
});

describe('A59: audit records of large activities', () => {
  test('come in pages that end early, another tenant waits for few of them, and the file is whole', async () => {
    const page = (await attack('listAuditRecords', { limit: '1000' })).body.activity.result;
    expect(page.next).toBeDefined();
    expect(JSON.stringify(page).length).toBeLessThan(8_000_000);
    expect(await besides(16, 'listAuditRecords', { limit: '1000' })).toBeLessThan(16);
    const whole = await exportAudit(attacker.with({ dialect: 'turnkey' }), {}, '1000');
    expect(await verifyText(whole, await logKey(serving.url))).toMatchObject({
      ok: true,
      report: { signatures: LARGE_ACTIVITIES },
    });
  });
});
