import { LRUCache } from 'lru-cache';
import { createSlices, type EndSlice, idleLru, mapInSlices, sweepIdle } from '../../admission/index.ts';
import type { ResourceRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import type { Resource, ResourceBodies, ResourceKind } from '../records.ts';
import { type Alarm, tampered } from './load.ts';
import type { Snapshots } from './snapshots.ts';
import { readVerifiedAccounts } from './verify-accounts.ts';
import { readVerifiedResources } from './verify-resources.ts';

type ReadRows = () => Promise<readonly ResourceRow[]>;
type Wallet = Resource<'wallet'>;

export interface VerifiedResourcesOptions {
  readonly store: Store['resources'];
  readonly integrity: Integrity;
  readonly alarm: Alarm;
  /** Without them, wallets and private keys are verified by MAC only. */
  readonly snapshots: Snapshots | undefined;
  readonly maxWallets: number;
}

/** Reads rows of wallets, accounts and private keys, and returns them only if the service wrote them and they are in force. */
export class VerifiedResources {
  readonly #options: VerifiedResourcesOptions;
  /** Wallets in force, keyed by organization, version and id: any change to a wallet increments the version. */
  readonly wallets: LRUCache<string, Wallet>;

  constructor(options: VerifiedResourcesOptions) {
    this.#options = options;
    this.wallets = sweepIdle(
      new LRUCache({
        // A wallet may list thousands of deleted accounts, and each version is cached separately, so bound the total size.
        maxSize: options.maxWallets * 10,
        sizeCalculation: ({ body }) => 10 + (body.deletedAccounts?.length ?? 0),
        ...idleLru,
      }),
    );
  }

  async read<K extends ResourceKind>(
    organizationId: string,
    kind: K,
    rows: ReadRows,
    endSlice: EndSlice = createSlices(organizationId),
  ): Promise<readonly Resource<K>[]> {
    if (kind === 'walletAccount') return (await this.readAccounts(organizationId, rows)) as readonly Resource<K>[];
    const { snapshots, alarm } = this.#options;
    const checked = async () => mapInSlices(await rows(), endSlice, (row) => this.#check<K>(row));
    return snapshots === undefined ? checked() : readVerifiedResources(snapshots, alarm, organizationId, checked);
  }

  /** Accounts are always verified against their wallets. */
  async readAccounts(organizationId: string, rows: ReadRows): Promise<readonly Resource<'walletAccount'>[]> {
    const checked = async () => (await rows()).map((row) => this.#check<'walletAccount'>(row));
    // INVARIANT: read the version before the wallets, so no wallet is older than the version it is cached under.
    const version = await this.versionOf(organizationId);
    return readVerifiedAccounts(this.#options.alarm, organizationId, checked, (ids) =>
      this.walletsAt(organizationId, version, ids),
    );
  }

  /** The current version of an organization; undefined without snapshots. */
  async versionOf(organizationId: string): Promise<number | undefined> {
    return (await this.#options.snapshots?.get(organizationId))?.version;
  }

  /** Wallets in force, at a version or newer. Without a version, bypasses the cache. Missing wallets are read in one query. */
  async walletsAt(
    organizationId: string,
    version: number | undefined,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Wallet>> {
    const found = new Map<string, Wallet>();
    const unknown: string[] = [];
    for (const id of new Set(ids)) {
      const cached = version === undefined ? undefined : this.wallets.get(`${organizationId}/${version}/${id}`);
      if (cached === undefined) unknown.push(id);
      else found.set(id, cached);
    }
    if (unknown.length === 0) return found;
    const { store } = this.#options;
    for (const wallet of await this.read(organizationId, 'wallet', () => store.many(organizationId, 'wallet', unknown))) {
      found.set(wallet.id, wallet);
      if (version !== undefined) this.wallets.set(`${organizationId}/${version}/${wallet.id}`, wallet);
    }
    return found;
  }

  #check<K extends ResourceKind>(row: ResourceRow): Resource<K> {
    const { integrity, alarm } = this.#options;
    const { organizationId, kind, id, parentId, writtenBy, body, mac } = row;
    const altered = () => tampered(alarm, organizationId, `the ${kind} ${id} was changed or inserted outside the service`);
    if (!macsEqual(integrity.row('resources', organizationId, kind, id, writtenBy, body), mac)) throw altered();
    const content = JSON.parse(body) as ResourceBodies[K];
    const expectedParent = kind === 'walletAccount' ? (content as ResourceBodies['walletAccount']).walletId : '';
    if (parentId !== expectedParent) throw altered();
    return { kind: kind as K, id, parentId, body: content, mac };
  }
}
