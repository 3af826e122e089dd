import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Caller } from '../../../support/caller.ts';
import { createSubOrganization, privateKeyParams, signParams } from '../../../support/world.ts';
import { runCommand, startCommand } from './command-process.ts';
import { environmentFor, type Place, type Serving, serve, wordsFor } from './serving.ts';

export interface RotateOptions {
  readonly place: Place;
  /** How many servers share the database. */
  readonly nodes: number;
  readonly workers: number;
  /** Each rotates the root key, then the data keys. */
  readonly rounds: number;
  /** How often each rotation is killed before it may finish. */
  readonly kills: number;
  readonly connections: number;
}

export interface RotateReport {
  readonly rotations: number;
  readonly kills: number;
  readonly requests: number;
  readonly keys: number;
  /** Requests that were not answered with 200. */
  readonly failed: readonly string[];
  /** Keys that do not sign afterwards, and rotations that did not end. */
  readonly lost: readonly string[];
  /** Requests per second before the first rotation, and during rotations. */
  readonly rates: readonly [number, number];
}

interface Key {
  readonly caller: Caller;
  readonly id: string;
}

/** Signs, creates keys and creates organizations until it is stopped. */
class Load {
  readonly keys: Key[] = [];
  readonly failed: string[] = [];
  requests = 0;
  #stopped = false;
  #organizations: Caller[] = [];
  readonly #roots: readonly Caller[];

  constructor(roots: readonly Caller[]) {
    this.#roots = roots;
  }

  async start(): Promise<void> {
    for (let count = 0; count < 3; count++) await this.#createOrganization();
    for (const caller of this.#organizations) await this.#createKey(caller);
  }

  async run(connections: number): Promise<void> {
    await Promise.all(
      Array.from({ length: connections }, async (_, lane) => {
        for (let turn = lane; !this.#stopped; turn++) await this.#turn(turn);
      }),
    );
  }

  stop(): void {
    this.#stopped = true;
  }

  async #turn(turn: number): Promise<void> {
    try {
      if (turn % 40 === 39) await this.#createOrganization();
      else if (turn % 8 === 7) await this.#createKey(pick(this.#organizations));
      else {
        const { caller, id } = pick(this.keys);
        this.#count(await at(pick(this.#roots), caller).submit('signRawPayload', signParams(id)));
      }
    } catch (error) {
      this.failed.push(String(error));
    }
  }

  async #createOrganization(): Promise<void> {
    const { caller } = await createSubOrganization(pick(this.#roots));
    this.requests += 1;
    this.#organizations.push(caller);
  }

  async #createKey(caller: Caller): Promise<void> {
    const there = at(pick(this.#roots), caller);
    const { privateKeys } = await there.result('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] });
    this.requests += 1;
    this.keys.push({ caller, id: privateKeys[0].privateKeyId });
  }

  #count({ status, body }: Answer): void {
    this.requests += 1;
    if (status !== 200) this.failed.push(`${status}: ${JSON.stringify(body)}`);
  }
}

/** The same caller at the server of another. */
const at = ({ url }: Caller, caller: Caller) => caller.with({ url });

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

/** Rotates under load, kills the rotation, and checks that no request fails and no key is lost. */
export async function runRotations(options: RotateOptions): Promise<RotateReport> {
  const { place, nodes, workers, rounds, connections } = options;
  const servers: Serving[] = [];
  for (let count = 0; count < nodes; count++) servers.push(await serve(place, ['--workers', String(workers)]));
  const load = new Load(servers.map(({ root }) => root));
  const lost: string[] = [];
  let kills = 0;
  const rates: [number, number] = [0, 0];
  try {
    await load.start();
    const running = load.run(connections);
    const rate = async (work: () => Promise<void>) => {
      const [startedMs, before] = [performance.now(), load.requests];
      await work();
      return Math.round((load.requests - before) / ((performance.now() - startedMs) / 1000));
    };
    rates[0] = await rate(() => sleep(1_000));
    rates[1] = await rate(async () => {
      for (let round = 0; round < rounds; round++)
        for (const flags of [[], ['--data-keys']]) kills += await rotate(options, flags, lost);
    });
    load.stop();
    await running;
  } finally {
    load.stop();
    await Promise.all(servers.map((server) => server.kill()));
  }
  // Only the new root key is left for this one.
  const again = await serve(place);
  try {
    for (const { caller, id } of load.keys) {
      const { status, body } = await at(again.root, caller).submit('signRawPayload', signParams(id));
      if (status !== 200) lost.push(`${id}: ${status} ${JSON.stringify(body)}`);
    }
  } finally {
    await again.kill();
  }
  const { requests, failed, keys } = load;
  return { rotations: 2 * rounds, kills, requests, keys: keys.length, failed, lost, rates };
}

/** Kills a rotation some times at random moments, then lets one finish. Returns how many were killed. */
async function rotate({ place, kills }: RotateOptions, flags: readonly string[], lost: string[]): Promise<number> {
  const words = ['vault', 'rotate', '--json', ...wordsFor(place), ...flags];
  const environment = environmentFor(place);
  let killed = 0;
  for (let count = 0; count < kills; count++) {
    const rotating = startCommand(words, { environment });
    await Promise.race([rotating.ended, sleep(500 + Math.random() * 3_500)]);
    if (rotating.isRunning()) killed += 1;
    await rotating.kill();
  }
  const { code, stderr } = await runCommand(words, { environment });
  if (code !== 0) lost.push(`the rotation ended with ${code}: ${stderr}`);
  return killed;
}

export function renderRotations(store: string, { rotations, kills, requests, keys, failed, lost, rates }: RotateReport): string {
  const lines = [
    `${store}: ${rotations} rotations, ${kills} killed; ${requests} requests, ${keys} keys; ${rates[0]}/s before, ${rates[1]}/s during rotations`,
    `  failed requests = ${failed.length}, lost = ${lost.length}`,
    ...[...failed, ...lost].slice(0, 20).map((text) => `  ${text}`),
  ];
  return lines.join('\n');
}
