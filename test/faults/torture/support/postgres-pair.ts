import { rmSync } from 'node:fs';
import pg from 'pg';
import { makeDataDirectory } from '../../../support/data-directory.ts';
import { type CrashablePostgres, type StandbyPostgres, startPostgres } from '../../../support/postgres.ts';
import { createDatabase } from '../../../support/postgres-database.ts';
import { openRawPostgres } from '../../../support/raw-database.ts';
import { createSwitchProxy, type SwitchProxy } from '../../fault/support/switch-proxy.ts';
import { waitUntil } from '../../fault/support/wait-until.ts';
import { eachTime, type OwnPlace } from './places.ts';

const FOLLOWS_MS = 20_000;

/** A primary and a standby. Clients reach each at an address that stays, whichever server is behind it. */
export class PostgresPair {
  readonly place: OwnPlace & { readonly databaseUrl: string };
  readonly #gone: CrashablePostgres[] = [];
  readonly #doors: readonly [SwitchProxy, SwitchProxy];
  /** Where the primary is. */
  #at: 0 | 1 = 0;
  #primary: CrashablePostgres;
  #standby: StandbyPostgres | undefined;
  #replication: SwitchProxy | undefined;

  private constructor(primary: CrashablePostgres, doors: readonly [SwitchProxy, SwitchProxy], url: string) {
    this.#primary = primary;
    this.#doors = doors;
    const directory = makeDataDirectory('torture');
    const hosts = doors.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const databaseUrl = url.replace(/127\.0\.0\.1:\d+/, hosts);
    const raw = eachTime(() => openRawPostgres(url.replace(/:\d+\//, `:${this.#primary.port}/`)));
    const remove = async () => {
      rmSync(directory, { recursive: true, force: true });
      await Promise.all(doors.map((door) => door.close()));
      await this.#replication?.close();
      for (const server of [...this.#gone, this.#primary, this.#standby]) await server?.stop();
    };
    this.place = { engine: 'postgres', directory, databaseUrl, raw, remove };
  }

  static async start(): Promise<PostgresPair> {
    const primary = await startPostgres();
    const { url } = await createDatabase(primary.url);
    const doors = [await createSwitchProxy(), await createSwitchProxy()] as const;
    doors[0].lead(primary.port);
    return new PostgresPair(primary, doors, url);
  }

  /** Adds a standby behind the other address. A synchronous one confirms every commit before the primary acknowledges it. */
  async addStandby({ synchronous }: { readonly synchronous: boolean }): Promise<void> {
    await this.#replication?.close();
    this.#replication = await createSwitchProxy();
    this.#replication.lead(this.#primary.port);
    this.#standby = await this.#primary.addStandby(this.#replication.port);
    this.#other.lead(this.#standby.port);
    const follows = async () => Number((await this.#ask('SELECT count(*) AS count FROM pg_stat_replication'))?.count) > 0;
    if (!(await waitUntil(FOLLOWS_MS, follows))) throw new Error('the standby does not follow');
    if (synchronous) await this.#await('*');
  }

  /** From now on the standby learns nothing. */
  holdBack(): void {
    this.#replication?.holdBack();
  }

  /** kill -9 of the primary. */
  async crash(): Promise<void> {
    await this.#primary.crash();
    this.#replication?.lead(0);
    this.#doors[this.#at].lead(0);
  }

  /** The standby takes over. It waits for no standby of its own, as the operator has to say. */
  async promote(): Promise<void> {
    const standby = this.#standby as StandbyPostgres;
    await standby.promote();
    this.#gone.push(this.#primary);
    this.#primary = standby;
    this.#standby = undefined;
    this.#at = this.#at === 0 ? 1 : 0;
    await this.#await('');
  }

  /** Hides the primary, so that clients find the standby alone. */
  hidePrimary(): void {
    this.#doors[this.#at].lead(0);
  }

  showPrimary(): void {
    this.#doors[this.#at].lead(this.#primary.port);
  }

  get #other(): SwitchProxy {
    return this.#doors[this.#at === 0 ? 1 : 0];
  }

  async #await(names: string): Promise<void> {
    await this.#ask(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await this.#ask('SELECT pg_reload_conf()');
    const isSo = async () => (await this.#ask('SHOW synchronous_standby_names'))?.synchronous_standby_names === names;
    if (!(await waitUntil(FOLLOWS_MS, isSo))) throw new Error('the setting did not reach the server');
  }

  async #ask(sql: string): Promise<Record<string, string> | undefined> {
    const client = new pg.Client({ connectionString: this.#primary.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows[0];
    } finally {
      await client.end();
    }
  }
}
