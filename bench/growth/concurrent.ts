import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from '../bench.ts';
import { cpuNanosOf, descendantsOf } from '../cpu-time.ts';
import { startServerProcess } from '../server-process.ts';
import { Stamper } from '../stamper.ts';
import { spreadOf } from '../statistics.ts';
import { createProbe } from '../tenants/probe.ts';
import { api } from './api.ts';
import { type Client, createClient } from './client.ts';
import { type Fill, settings } from './installation.ts';
import { wantedSizes } from './kinds.ts';
import { MOST_IDS, type Operation, operationsOn } from './operations.ts';

/** How the processes of an installation are arranged. Nodes share PostgreSQL. */
const arrangements = [
  { name: 'one process', workers: 1, nodes: 1, isShared: false },
  { name: 'two workers', workers: 2, nodes: 1, isShared: false },
  { name: 'one node', workers: 1, nodes: 1, isShared: true },
  { name: 'two nodes', workers: 1, nodes: 2, isShared: true },
  { name: 'three nodes', workers: 1, nodes: 3, isShared: true },
] as const;

/** What signatures and changes cost while both are requested. */
export interface ConcurrentResult {
  readonly arrangement: string;
  readonly users: number;
  /** CPU time of all service processes for each signature: without changes, and during changes. */
  readonly aloneCpuMs: number;
  readonly besideCpuMs: number;
  /** The longest wait for a signature during changes. */
  readonly worstMs: number;
  /** CPU time and time of a change, with several writers on all nodes and no signers. */
  readonly changeCpuMs: number;
  readonly changeMs: number;
}

const SIGNERS = 6;
const WRITERS = 6;
/** One user is created in each interval, at the nodes in turn. */
const CHANGE_EVERY_MS = 500;
/** A window has several changes. */
const LEAST_SECONDS = 4;
const WARM_UP_SECONDS = 3;

/** Changes of one organization during signatures, by its size and by the processes that serve it. */
export async function measureConcurrent(
  context: BenchContext,
  fill: Fill,
  newDatabase: () => Promise<string>,
): Promise<readonly ConcurrentResult[]> {
  const results: ConcurrentResult[] = [];
  const { stores } = context.options;
  for (const arrangement of arrangements.filter(({ isShared }) => stores.includes(isShared ? 'postgres' : 'sqlite')))
    for (const users of wantedSizes('users', context.options)) {
      context.progress(`${arrangement.name}, ${users.toLocaleString('en')} users`);
      results.push(await measureArrangement(context, fill, arrangement, users, newDatabase));
    }
  return results;
}

async function measureArrangement(
  { options, leftovers, progress }: BenchContext,
  fill: Fill,
  { name, workers, nodes, isShared }: (typeof arrangements)[number],
  users: number,
  newDatabase: () => Promise<string>,
): Promise<ConcurrentResult> {
  const databaseUrl = isShared ? await newDatabase() : undefined;
  const build = options.before === '' ? {} : { command: options.before };
  const dataDir = leftovers.directory();
  const servers: Awaited<ReturnType<typeof startServerProcess>>[] = [];
  for (let node = 0; node < nodes; node++)
    servers.push(await startServerProcess(leftovers, workers, databaseUrl, settings, dataDir, build));
  const urls = servers.map(({ target: { host, port } }) => `http://${host}:${port}`);
  const [{ target }] = servers as [(typeof servers)[number]];
  const probe = await createProbe(urls[0] as string, target, new Stamper(target));
  await fill({ dataDir, organizationId: probe.organizationId, kind: 'users', count: users, databaseUrl });
  const clients = urls.map((url) => createClient(url, probe));
  const signing = clients.map((client) => operationsOn(client, 'users', probe).find((each) => each.name === 'a signature'));
  const service = () => servers.flatMap(({ pid }) => [pid, ...descendantsOf(pid)]);
  const window = (seconds: number, kind: 'alone' | 'beside' | 'changes') =>
    measureWindow({ clients, signing: signing as Operation[], service: service(), seconds, kind });

  for (const kind of ['alone', 'beside', 'changes'] as const) await window(WARM_UP_SECONDS, kind);
  const seconds = Math.max(LEAST_SECONDS, options.seconds);
  const rounds = { alone: [] as Window[], beside: [] as Window[], changes: [] as Window[] };
  for (let round = 0; round < options.rounds; round++)
    for (const kind of ['alone', 'beside', 'changes'] as const) {
      progress(`${name}, ${users.toLocaleString('en')} users: round ${round + 1} of ${options.rounds}`);
      rounds[kind].push(await window(seconds, kind));
    }
  for (const { process: server } of servers) await leftovers.end(server);
  rmSync(dataDir, { recursive: true, force: true });
  const median = (windows: readonly Window[], pick: (window: Window) => number) => spreadOf(windows.map(pick)).median;
  return {
    arrangement: name,
    users,
    aloneCpuMs: median(rounds.alone, ({ cpuMs, signatures }) => cpuMs / signatures.length),
    besideCpuMs: median(rounds.beside, ({ cpuMs, signatures }) => cpuMs / signatures.length),
    worstMs: Math.max(...rounds.beside.map(({ signatures }) => Math.max(...signatures))),
    changeCpuMs: median(rounds.changes, ({ cpuMs, changes }) => cpuMs / changes.length),
    changeMs: median(rounds.changes, ({ changes }) => spreadOf(changes).median),
  };
}

interface Window {
  readonly cpuMs: number;
  /** How long each took. */
  readonly signatures: readonly number[];
  readonly changes: readonly number[];
}

let sent = 0;

async function measureWindow(about: {
  readonly clients: readonly Client[];
  readonly signing: readonly Operation[];
  readonly service: readonly number[];
  readonly seconds: number;
  readonly kind: 'alone' | 'beside' | 'changes';
}): Promise<Window> {
  const { clients, signing, service, seconds, kind } = about;
  const [signatures, changes, made]: [number[], number[], string[]] = [[], [], []];
  const end = performance.now() + seconds * 1000;

  async function timed(times: number[], work: () => Promise<unknown>): Promise<void> {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }

  async function sign(signer: number): Promise<void> {
    const operation = signing[signer % signing.length] as Operation;
    while (performance.now() < end) await timed(signatures, () => operation.send(`${++sent}`));
  }

  async function change(turn: number): Promise<void> {
    const { create, madeIn } = api.users;
    const client = clients[turn % clients.length] as Client;
    await timed(changes, async () => {
      made.push(madeIn((await client.change(create(`user ${++sent}`))) as never));
    });
  }

  const writer = async (number: number) => {
    while (performance.now() < end) await change(number);
  };
  const occasional = async () => {
    for (let turn = 0; performance.now() < end; turn++) await Promise.all([change(turn), sleep(CHANGE_EVERY_MS)]);
  };
  const times = (count: number, work: (number: number) => Promise<void>) => Array.from({ length: count }, (_, at) => work(at));
  const before = cpuNanosOf(service);
  if (kind === 'changes') await Promise.all(times(WRITERS, writer));
  else await Promise.all([...times(SIGNERS, sign), ...(kind === 'beside' ? [occasional()] : [])]);
  const cpuMs = (cpuNanosOf(service) - before) / 1e6;
  while (made.length > 0) await clients[0]?.change(api.users.delete(made.splice(0, MOST_IDS)));
  // The log is part of the cost of the next window in any case: it is written about twice a second.
  return { cpuMs, signatures, changes };
}
