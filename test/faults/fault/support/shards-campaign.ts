import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { shardIn } from '@countersign/contract';
import { consistencyProof, parseShardEntry, verifyConsistency } from '@countersign/tlog';
import pg from 'pg';
import { backup } from '../../../../packages/server/src/commands/backup.ts';
import { restore } from '../../../../packages/server/src/commands/restore.ts';
import { type RunningRootLog, startRootLog } from '../../../../packages/server/src/commands/start-root-log.ts';
import { type RunningRouter, startRouter } from '../../../../packages/server/src/commands/start-router.ts';
import type { Config } from '../../../../packages/server/src/config/settings.ts';
import { LogClient } from '../../../features/log/support.ts';
import type { Caller } from '../../../support/caller.ts';
import { makeDataDirectory } from '../../../support/data-directory.ts';
import { type CrashablePostgres, type StandbyPostgres, startPostgres } from '../../../support/postgres.ts';
import { createDatabase } from '../../../support/postgres-database.ts';
import { ShardLoad } from './shard-load.ts';
import { createSwitchProxy, type SwitchProxy } from './switch-proxy.ts';
import { waitUntil } from './wait-until.ts';

/** A running service of one shard. */
export interface ShardService {
  readonly url: string;
  readonly root: Caller;
  close(): Promise<void>;
}

export interface ShardPlace {
  readonly shard: number;
  readonly directory: string;
  readonly databaseUrl: string;
  /** The witness to use, as in the settings. */
  readonly witnesses?: string;
}

export interface ShardsCampaign {
  readonly shards: number;
  /** Signatures of each other shard that an outage must last. */
  readonly signatures: number;
  start(place: ShardPlace): Promise<ShardService>;
  /** The settings of a stopped shard. */
  configOf(place: ShardPlace): Config;
  onStep?(what: string): void;
}

export interface Outage {
  readonly what: string;
  /** Signatures of shards on the other server during the outage, and their failed requests. */
  readonly othersSigned: number;
  readonly othersFailed: number;
  readonly ownFailed: number;
}

export interface ShardsReport {
  readonly acknowledged: number;
  readonly entries: number;
  readonly outages: readonly Outage[];
  readonly violations: readonly string[];
}

const ENOUGH_MS = 180_000;

/** A server and the fixed port in front of it. */
interface Server {
  readonly primary: CrashablePostgres;
  readonly proxy: SwitchProxy;
}

async function startServer(): Promise<Server> {
  const [primary, proxy] = await Promise.all([startPostgres(), createSwitchProxy()]);
  proxy.lead(primary.port);
  return { primary, proxy };
}

const through = (url: string, { port }: SwitchProxy) => Object.assign(new URL(url), { port: String(port) }).href;

/**
 * An installation with shards on two PostgreSQL servers, a router and a root log. The first server has a synchronous standby. Under load,
 * the first server is killed and fails over, the second is killed and restarts, and a shard moves to the other server. Then everything that
 * was acknowledged is looked up.
 */
export async function runShards(campaign: ShardsCampaign): Promise<ShardsReport> {
  const run = new Run(campaign);
  try {
    await run.open();
    return await run.execute();
  } finally {
    await run.close();
  }
}

class Run {
  readonly #campaign: ShardsCampaign;
  readonly #directory = makeDataDirectory('shards');
  readonly #violations: string[] = [];
  readonly #outages: Outage[] = [];
  #servers: Server[] = [];
  #standby: StandbyPostgres | undefined;
  #places: ShardPlace[] = [];
  #services: ShardService[] = [];
  #loads: ShardLoad[] = [];
  #root: RunningRootLog | undefined;
  #router: RunningRouter | undefined;

  constructor(campaign: ShardsCampaign) {
    this.#campaign = campaign;
  }

  async open(): Promise<void> {
    const { shards, start } = this.#campaign;
    this.#servers = await Promise.all([startServer(), startServer()]);
    for (let shard = 0; shard < shards; shard++) {
      const { primary, proxy } = this.#serverOf(shard);
      const { url } = await createDatabase(primary.url);
      this.#places.push({ shard, directory: join(this.#directory, `shard${shard}`), databaseUrl: through(url, proxy) });
    }
    this.#step('first starts');
    const keys = await Promise.all(
      this.#places.map(async (place) => {
        const service = await start(place);
        const key = (await (await fetch(`${service.url}/log/key`)).text()).trimEnd();
        await service.close();
        return `${place.shard}=${key}`;
      }),
    );
    const [first] = this.#servers as [Server];
    this.#standby = await first.primary.addStandby(first.primary.port);
    await this.#query(first.primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()');
    const root = await startRootLog({
      host: '127.0.0.1',
      port: 0,
      logLevel: 'silent',
      dataDir: join(this.#directory, 'root'),
      shards: keys,
      intervalSeconds: 1,
    });
    this.#root = root;
    this.#places = this.#places.map((place) => ({ ...place, witnesses: `${root.url}#${root.witnessKey}` }));
    this.#services = await Promise.all(this.#places.map(start));
    await this.#route();
    this.#loads = await Promise.all(
      this.#services.map(({ root: caller }, shard) => ShardLoad.create(shard, caller.with({ url: this.#router?.url as string }))),
    );
  }

  async execute(): Promise<ShardsReport> {
    const [first, second] = this.#servers as [Server, Server];
    for (const load of this.#loads) load.start();
    await this.#everyoneSigned(this.#loads);
    await this.#outage('kill and fail over', 0, first.primary.crash, async () => {
      await this.#standby?.promote();
      first.proxy.lead(this.#standby?.port as number);
    });
    await this.#outage('kill and restart', 1, second.primary.crash, second.primary.restart);
    await Promise.all(this.#loads.map((load) => load.stop()));
    await this.#move(1);
    for (const load of this.#loads) await load.repeat(20);
    await this.#checkDatabases();
    const entries = await this.#checkRootLog();
    return {
      acknowledged: this.#loads.reduce((sum, { done }) => sum + done.size, 0),
      entries,
      outages: this.#outages,
      violations: [...this.#violations, ...this.#loads.flatMap(({ violations }) => violations)],
    };
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#loads.map((load) => load.stop()));
    await this.#router?.close();
    await Promise.allSettled(this.#services.map((service) => service.close()));
    await this.#root?.close();
    await Promise.allSettled(this.#servers.map(({ proxy }) => proxy.close()));
    await Promise.allSettled([...this.#servers.map(({ primary }) => primary.stop()), this.#standby?.stop()]);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** The first half of the shards is on the first server. */
  #serverOf = (shard: number) => this.#servers[shard < this.#campaign.shards / 2 ? 0 : 1] as Server;

  #step(what: string): void {
    this.#campaign.onStep?.(what);
  }

  async #route(): Promise<void> {
    const shards = this.#services.map(({ url }, shard) => `${shard}=${url}`);
    const port = this.#router === undefined ? 0 : Number(new URL(this.#router.url).port);
    await this.#router?.close();
    this.#router = await startRouter({ host: '127.0.0.1', port, logLevel: 'silent', maxBodyBytes: 1_048_576, shards });
  }

  /** Waits until each of these shards has signed more than now. */
  async #everyoneSigned(loads: readonly ShardLoad[], more = 1): Promise<void> {
    const before = loads.map(({ done }) => done.size);
    const all = () => loads.every(({ done }, at) => done.size >= (before[at] as number) + more);
    if (!(await waitUntil(ENOUGH_MS, all)))
      this.#violations.push(`not all of shards ${loads.map(({ shard }) => shard)} signed again`);
  }

  /** Shards of the other server sign on while one server is down, and its own sign again afterwards. */
  async #outage(what: string, server: 0 | 1, kill: () => Promise<void>, heal: () => Promise<void>): Promise<void> {
    this.#step(what);
    const isOwn = ({ shard }: ShardLoad) => this.#serverOf(shard) === this.#servers[server];
    const [own, others] = [this.#loads.filter(isOwn), this.#loads.filter((load) => !isOwn(load))];
    const count = (loads: readonly ShardLoad[]) => ({
      signed: loads.reduce((sum, { done }) => sum + done.size, 0),
      failed: loads.reduce((sum, { failures }) => sum + failures, 0),
    });
    await kill();
    const before = { own: count(own), others: count(others) };
    await this.#everyoneSigned(others, this.#campaign.signatures);
    const during = count(others);
    await heal();
    await this.#everyoneSigned(own);
    const after = { own: count(own), others: count(others) };
    const othersFailed = after.others.failed - before.others.failed;
    if (othersFailed > 0) this.#violations.push(`${what}: ${othersFailed} requests of the other server failed`);
    const ownFailed = after.own.failed - before.own.failed;
    this.#outages.push({ what, othersSigned: during.signed - before.others.signed, othersFailed, ownFailed });
  }

  /** Moves the last shard of a server to the other one, by backup and restore. */
  async #move(from: 0 | 1): Promise<void> {
    this.#step('move');
    const shard = from === 0 ? this.#campaign.shards / 2 - 1 : this.#campaign.shards - 1;
    const place = this.#places[shard] as ShardPlace;
    await this.#services[shard]?.close();
    const file = join(this.#directory, 'moved.backup');
    await backup(this.#campaign.configOf(place), { file });
    const { url } = await createDatabase((this.#standby as StandbyPostgres).url);
    const moved = { ...place, databaseUrl: url };
    await restore(this.#campaign.configOf(moved), { file, acceptLoss: false });
    this.#places[shard] = moved;
    this.#services[shard] = await this.#campaign.start(moved);
    await this.#route();
    const load = this.#loads[shard] as ShardLoad;
    load.start();
    await this.#everyoneSigned([load]);
    await load.stop();
  }

  async #query(url: string, ...statements: readonly string[]): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      let result: pg.QueryResult | undefined;
      for (const sql of statements) result = await client.query(sql);
      return result as pg.QueryResult;
    } finally {
      await client.end();
    }
  }

  /** Every acknowledged body is one activity in the database of its shard, which has no organization of another. */
  async #checkDatabases(): Promise<void> {
    for (const { shard, databaseUrl } of this.#places) {
      const load = this.#loads[shard] as ShardLoad;
      const { rows } = await this.#query(
        databaseUrl,
        `SELECT id FROM activities WHERE organization_id = '${load.organizationId}' AND type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'`,
      );
      const stored = new Set(rows.map(({ id }) => id));
      const lost = [...load.done.values()].filter((id) => !stored.has(id));
      if (lost.length > 0) this.#violations.push(`shard ${shard} lost ${lost.length} acknowledged signatures`);
      if (stored.size !== load.done.size)
        this.#violations.push(`shard ${shard} has ${stored.size} signatures of ${load.done.size} bodies`);
      const { rows: organizations } = await this.#query(databaseUrl, 'SELECT organization_id FROM organizations');
      const strange = organizations.filter(({ organization_id: id }) => (shardIn(id) ?? 0) !== shard);
      if (strange.length > 0) this.#violations.push(`shard ${shard} has ${strange.length} organizations of other shards`);
    }
  }

  /** The last entry of every shard covers its whole log, and every entry extends the one before it. */
  async #checkRootLog(): Promise<number> {
    const client = new LogClient(this.#root?.url as string);
    const read = async () => {
      const { size } = await client.checkpoint();
      const bundles = Array.from({ length: Math.ceil(size / 256) }, (_, index) =>
        client.entries(index, Math.min(256, size - index * 256)),
      );
      return (await Promise.all(bundles)).flat().map(parseShardEntry);
    };
    for (const [shard, { url }] of this.#services.entries()) {
      const own = new LogClient(url);
      const isCovered = async () => {
        const { size } = await own.checkpoint();
        return (await read()).filter((entry) => entry.shard === shard).at(-1)?.tree.size === size;
      };
      if (!(await waitUntil(ENOUGH_MS, isCovered))) this.#violations.push(`the root log does not have all of shard ${shard}`);
      const trees = (await read()).filter((entry) => entry.shard === shard).map(({ tree }) => tree);
      for (const [at, tree] of trees.entries()) {
        const before = trees[at - 1];
        if (before === undefined) continue;
        const claim = { oldSize: before.size, oldRoot: before.root, newSize: tree.size, newRoot: tree.root };
        const proof = before.size === tree.size ? [] : await consistencyProof(before.size, tree.size, own.reader(tree));
        if (!verifyConsistency(claim, proof).ok) this.#violations.push(`entries of shard ${shard} do not extend each other`);
      }
    }
    return (await read()).length;
  }
}
