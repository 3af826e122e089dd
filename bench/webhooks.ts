import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchContext } from './bench.ts';
import { ask } from './conversation.ts';
import { cpuMicrosOf, descendantsOf } from './cpu-time.ts';
import { createDatabases } from './databases.ts';
import type { FromLoad, LoadTarget, LoadWindow } from './load/messages.ts';
import { describeMachine } from './machine.ts';
import type { StoreName } from './options.ts';
import { type DeadEndpoints, type Throughput, type WebhooksStore, webhooksReport } from './report/webhooks-report.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { Stamper } from './stamper.ts';
import { spreadOf } from './statistics.ts';

const LATENCY_MS = 50;
const BACKLOG = 10_000;
const DEAD = 10;
const CONNECTIONS = 16;
const WARM_UP_SECONDS = 3;
/** How long single deliveries are counted: a backlog of them takes minutes. */
const SINGLE_SECONDS = 10;
/** Enough for the rounds before the queues are full. In the environment, because an earlier build does not know the setting. */
const QUEUE_EVENTS = 12_000;
const ENVIRONMENT = { COUNTERSIGN_WEBHOOK_NETWORKS: '127.0.0.0/8', COUNTERSIGN_MAX_WAITING_EVENTS: String(QUEUE_EVENTS) };
/** Longer than a pass over the queues takes to find a full one. */
const PASS_MS = 25_000;

/**
 * How fast a backlog reaches a receiver that responds after 50 ms, and what endpoints that never respond cost signatures, against an
 * equal server without endpoints, measured alternately.
 */
export const webhooks: Bench = {
  summary: 'a backlog of events to a receiver 50 ms away, and signatures beside ten dead endpoints',

  async run(context) {
    const { options, leftovers } = context;
    const machine = describeMachine(leftovers);
    const createDatabase = createDatabases(leftovers);
    const stores: WebhooksStore[] = [];
    for (const store of options.stores) {
      const database = async () => (store === 'postgres' ? await createDatabase() : undefined);
      const dead = await measureDead(context, store, database);
      const throughput = options.before === '' ? await measureThroughput(context, store, await database()) : [];
      stores.push({ store, throughput, dead });
    }
    const { rounds, seconds, before } = options;
    return webhooksReport({ bench: 'webhooks', machine, rounds, secondsPerWindow: seconds, before, backlog: BACKLOG, stores });
  },
};

const start = ({ leftovers, options }: BenchContext, databaseUrl: string | undefined): Promise<ServerProcess> =>
  startServerProcess(leftovers, 1, databaseUrl, [], leftovers.directory(), {
    ...(options.before !== '' && { command: options.before }),
    environment: ENVIRONMENT,
  });

async function submit(target: LoadTarget, path: string, parameters: object): Promise<Record<string, string>> {
  const { host, port, organizationId } = target;
  const type = `ACTIVITY_TYPE_${path.toUpperCase()}`;
  const body = JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters });
  const headers = { 'Content-Type': 'application/json', 'X-Stamp': new Stamper(target).stamp(body) };
  const response = await fetch(`http://${host}:${port}/public/v1/submit/${path}`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${text}`);
  return Object.values(JSON.parse(text).activity.result.activity.result)[0] as Record<string, string>;
}

interface Measured extends LoadWindow {
  readonly cpuMicros: number;
}

type Driver = (server: ServerProcess, seconds: number) => Promise<Measured>;

/** Signs in windows, from a separate process. */
function startDriver({ leftovers }: BenchContext): Driver {
  const load = leftovers.fork('./load/load-process.ts');
  let fastest = 1_000;
  return async (server, seconds) => {
    const requests = Math.ceil(fastest * seconds * 1.33);
    await ask<FromLoad>(load, { kind: 'prepare', target: server.target, connections: CONNECTIONS, requests });
    const service = [server.pid, ...descendantsOf(server.pid)];
    const before = cpuMicrosOf(service);
    const { window } = await ask<Extract<FromLoad, { kind: 'done' }>>(load, { kind: 'start', seconds });
    fastest = Math.max(fastest / 2, window.requests / window.seconds);
    return { ...window, cpuMicros: cpuMicrosOf(service) - before };
  };
}

async function measureDead(
  context: BenchContext,
  store: StoreName,
  database: () => Promise<string | undefined>,
): Promise<readonly DeadEndpoints[]> {
  const { options, progress } = context;
  const [without, with10] = [await start(context, await database()), await start(context, await database())];
  const driver = startDriver(context);
  // Nothing listens on the discard port.
  for (let index = 0; index < DEAD; index++)
    await submit(with10.target, 'create_webhook_endpoint', { name: `Dead ${index}`, url: 'http://127.0.0.1:9/' });
  for (const server of [without, with10]) await driver(server, WARM_UP_SECONDS);
  let signed = 0;
  const compare = async (name: string): Promise<DeadEndpoints> => {
    const costs: number[][] = [[], []];
    for (let round = 0; round < options.rounds; round++) {
      progress(`${store}: ${name}: round ${round + 1} of ${options.rounds}`);
      for (const [index, server] of round % 2 === 0
        ? [...[without, with10].entries()]
        : [...[without, with10].entries()].reverse()) {
        const { requests, cpuMicros } = await driver(server, options.seconds);
        costs[index]?.push(cpuMicros / requests);
        signed += index * requests;
      }
    }
    const [none = [], dead = []] = costs;
    return {
      name,
      withoutMicros: spreadOf(none),
      deadMicros: spreadOf(dead),
      ratio: spreadOf(dead.map((cost, at) => cost / (none[at] as number))),
    };
  };
  const filling = await compare('while their queues fill');
  while (signed < QUEUE_EVENTS) signed += (await driver(with10, options.seconds)).requests;
  progress(`${store}: the queues are full`);
  await sleep(PASS_MS);
  return [filling, await compare('when their queues are full')];
}

const modes = ['BATCH', 'PIPELINE', 'SINGLE'] as const;

async function measureThroughput(
  context: BenchContext,
  store: StoreName,
  databaseUrl: string | undefined,
): Promise<readonly Throughput[]> {
  const { progress } = context;
  const server = await start(context, databaseUrl);
  const { target } = server;
  const received = new Map<string, number>();
  let open = '';
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const mode = (request.url ?? '').slice(1);
      const isOpen = mode === open;
      if (isOpen) await sleep(LATENCY_MS);
      const body = isOpen ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : {};
      if (isOpen) received.set(mode, (received.get(mode) ?? 0) + (body.events?.length ?? 1));
      response.writeHead(isOpen ? 200 : 503).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const filtersJson = JSON.stringify({ types: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'] });
  const subscriptions = [{ eventType: 'ACTIVITY_UPDATES', filtersJson }];
  const ids = new Map<string, string>();
  for (const mode of modes) {
    const deliveryMode = `WEBHOOK_DELIVERY_MODE_${mode}`;
    const made = await submit(target, 'create_webhook_endpoint', {
      name: mode,
      url: `${url}/${mode}`,
      subscriptions,
      deliveryMode,
    });
    ids.set(mode, made.endpointId as string);
  }
  const driver = startDriver(context);
  for (let signed = 0; signed < BACKLOG; signed += (await driver(server, 2)).requests)
    progress(`${store}: ${signed} events wait`);
  const results: Throughput[] = [];
  for (const mode of modes) {
    progress(`${store}: ${mode}`);
    open = mode;
    const wanted = mode === 'SINGLE' ? Number.POSITIVE_INFINITY : BACKLOG;
    const beganMs = performance.now();
    // A change of the endpoint ends its pause.
    await submit(target, 'update_webhook_endpoint', { endpointId: ids.get(mode), name: `${mode} is open` });
    while (
      (received.get(mode) ?? 0) < wanted &&
      performance.now() - beganMs < (mode === 'SINGLE' ? SINGLE_SECONDS * 1000 : 300_000)
    )
      await sleep(5);
    const events = received.get(mode) ?? 0;
    results.push({ mode, events, perSecond: (events / (performance.now() - beganMs)) * 1000 });
    open = '';
  }
  receiver.closeAllConnections();
  receiver.close();
  return results;
}
