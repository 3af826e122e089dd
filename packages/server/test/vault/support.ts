import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { openSqliteFile } from '../../../../test/support/sqlite-file.ts';
import type { Write } from '../../src/store/rows.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { openVault, type VaultOptions } from '../../src/vault/open-vault.ts';
import { fileRootKey } from '../../src/vault/root-key/providers/file.ts';
import type { Vault } from '../../src/vault/vault.ts';

export const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
export const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** Reads a JSON file beside the tests or, from `/`, in the repository. */
export async function readJson<T>(path: string): Promise<T> {
  const base = path.startsWith('/') ? new URL('../../../..', import.meta.url).pathname : new URL('.', import.meta.url).pathname;
  return JSON.parse(await readFile(join(base, path), 'utf8')) as T;
}

/** A directory that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = makeDataDirectory('vault');
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A data directory with a database and its root key file, and operations on them. */
export class Installation {
  readonly directory: string;
  readonly store: Store;
  #commits = 0;

  constructor(directory: string, store: Store) {
    this.directory = directory;
    this.store = store;
  }

  static async create(directory?: string): Promise<Installation> {
    const home = directory ?? (await temporaryDirectory());
    const store = await openSqlite({ file: join(home, 'database.sqlite') });
    onTestFinished(() => store.close());
    return new Installation(home, store);
  }

  /** The same database for another process. */
  connect(): Promise<Store> {
    return openSqlite({ file: join(this.directory, 'database.sqlite') });
  }

  get rootKeyFile(): string {
    return join(this.directory, 'root.key');
  }

  open(options: Partial<VaultOptions> = {}): Promise<Vault> {
    return openVault({ store: this.store, rootKeys: fileRootKey(this.rootKeyFile), create: true, ...options });
  }

  /** Creates and stores an organization with its data key. */
  async addOrganization(vault: Vault, organizationId: string): Promise<void> {
    const dataKey = await vault.service.createDataKey(organizationId);
    await this.#commit(organizationId, [
      { op: 'insert', table: 'organizations', row: { organizationId, parentId: '', version: 1, mac: new Uint8Array(32) } },
      { op: 'put', table: 'data_keys', row: { organizationId, ...dataKey, generation: 0, previous: new Uint8Array() } },
    ]);
  }

  putSecret(organizationId: string, id: string, ciphertext: Uint8Array): Promise<void> {
    return this.#commit(organizationId, [{ op: 'put', table: 'secrets', row: { organizationId, id, ciphertext } }]);
  }

  /** Edits the database, as somebody with write access could. */
  tamper(sql: string, ...values: readonly (string | Uint8Array)[]): void {
    const database = openSqliteFile(join(this.directory, 'database.sqlite'));
    database.prepare(sql).run(...values);
    database.close();
  }

  async #commit(organizationId: string, writes: readonly Write[]): Promise<void> {
    const id = `activity-${++this.#commits}`;
    const request = { fingerprint: id, requestedAtMs: 0 };
    const activity = { id, revision: 0, ...request, type: 'T', status: 'ACTIVITY_STATUS_COMPLETED', body: '{}' };
    const mac = new Uint8Array(32);
    const [outcome] = await this.store.commit([
      { organizationId, expected: { version: 1, mac }, activity: { organizationId, mac, ...activity }, writes },
    ]);
    if (outcome?.taken !== true) throw new Error(`the commit was refused: ${JSON.stringify(outcome)}`);
  }
}
