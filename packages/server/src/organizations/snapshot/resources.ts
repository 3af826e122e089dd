import { canonicalAddress } from '@countersign/chains';
import type { EndSlice } from '../../admission/index.ts';
import type { ResourceRow } from '../../store/rows.ts';
import type { Page, Store } from '../../store/store.ts';
import type { Integrity } from '../../vault/vault.ts';
import type { Resource, ResourceKind } from '../records.ts';
import type { Alarm } from './load.ts';
import { pathLookupValue } from './lookups.ts';
import { byAge, createSigningKeys, type SigningKeys } from './signing-keys.ts';
import type { Snapshots } from './snapshots.ts';
import { VerifiedResources } from './verified-resources.ts';

/** Wallets, accounts and private keys. Each read verifies that the service wrote them and that they are still in force. */
export interface Resources extends SigningKeys {
  get<K extends ResourceKind>(organizationId: string, kind: K, id: string): Promise<Resource<K> | undefined>;
  list<K extends ResourceKind>(organizationId: string, kind: K): Promise<readonly Resource<K>[]>;
  page<K extends ResourceKind>(organizationId: string, kind: K, page: Page, parentId?: string): Promise<readonly Resource<K>[]>;
  /** The oldest resources of a kind, oldest first. */
  first<K extends ResourceKind>(
    organizationId: string,
    kind: K,
    limit: number,
    endSlice: EndSlice,
  ): Promise<readonly Resource<K>[]>;
  /** The wallets with these ids. Missing ones are omitted. */
  walletsOf(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Resource<'wallet'>>>;
  /** The ids of an index entry, at most two. */
  find(organizationId: string, kind: string, value: string): Promise<readonly string[]>;
  /** The accounts of a wallet at a path, one for each address format, oldest first. */
  accountsAt(organizationId: string, walletId: string, path: string): Promise<readonly Resource<'walletAccount'>[]>;
  /** The accounts with an address, in any wallet. */
  accountsOf(organizationId: string, address: string): Promise<readonly Resource<'walletAccount'>[]>;
}

/** Rows per batch. */
const PART_ROWS = 250;

/**
 * Without `snapshots`, wallets and private keys are verified by MAC only, for a caller that verifies the whole organization itself.
 * Accounts are always verified against their wallets.
 */
export function createResources(
  store: Pick<Store, 'resources' | 'lookups'>,
  integrity: Integrity,
  alarm: Alarm,
  snapshots?: Snapshots,
  capacity = 50_000,
): Resources {
  const rows = store.resources;
  const verified = new VerifiedResources({ store: rows, integrity, alarm, snapshots, maxWallets: capacity });

  /** All ids of an index entry. One path or address never has as many keys as the limit. */
  async function idsOf(organizationId: string, kind: string, value: string): Promise<readonly string[]> {
    return (await store.lookups.find(organizationId, kind, value, { limit: 100 })).map(({ id }) => id);
  }

  /** The accounts with these ids. Missing ones are omitted. */
  function accountsWith(organizationId: string, ids: readonly string[]) {
    return verified.readAccounts(organizationId, () => rows.many(organizationId, 'walletAccount', ids));
  }

  async function get<K extends ResourceKind>(organizationId: string, kind: K, id: string): Promise<Resource<K> | undefined> {
    const [found] = await verified.read(organizationId, kind, async () => {
      const row = await rows.get(organizationId, kind, id);
      return row === undefined ? [] : [row];
    });
    return found;
  }

  return {
    get,
    list: (organizationId, kind) => verified.read(organizationId, kind, () => rows.list(organizationId, kind)),
    page: (organizationId, kind, page, parentId) =>
      verified.read(organizationId, kind, () => rows.page(organizationId, kind, page, parentId)),
    first: (organizationId, kind, limit, endSlice) =>
      verified.read(organizationId, kind, () => oldestRows(rows, organizationId, kind, limit, endSlice), endSlice),
    async walletsOf(organizationId, ids) {
      return verified.walletsAt(organizationId, await verified.versionOf(organizationId), ids);
    },
    async find(organizationId, kind, value) {
      return (await store.lookups.find(organizationId, kind, value, { limit: 2 })).map((row) => row.id);
    },
    async accountsAt(organizationId, walletId, path) {
      const ids = await idsOf(organizationId, 'accountPath', pathLookupValue(walletId, path));
      const accounts = await accountsWith(organizationId, ids);
      // SECURITY: the index is not authenticated. Only the account itself proves its wallet and path.
      return accounts.filter(({ body }) => body.walletId === walletId && body.path === path).sort(byAge);
    },
    async accountsOf(organizationId, address) {
      const wanted = canonicalAddress(address);
      const accounts = await accountsWith(organizationId, await idsOf(organizationId, 'address', wanted));
      return accounts.filter(({ body }) => canonicalAddress(body.address) === wanted).sort(byAge);
    },
    ...createSigningKeys(
      verified,
      { get, idsOfAddress: (organizationId, address) => idsOf(organizationId, 'address', address) },
      capacity,
    ),
  };
}

/** The oldest rows, in batches: reading thousands of rows in one query would delay other requests by milliseconds. */
async function oldestRows(
  store: Store['resources'],
  organizationId: string,
  kind: string,
  limit: number,
  endSlice: EndSlice,
): Promise<readonly ResourceRow[]> {
  const found: ResourceRow[] = [];
  for (;;) {
    const part = Math.min(PART_ROWS, limit - found.length);
    // Every id sorts after the empty string. A page with only `before` is adjacent to that cursor, newest first.
    const page = { limit: part, before: found.at(-1)?.id ?? '' };
    const rows = (await store.page(organizationId, kind, page)).toReversed();
    found.push(...rows);
    if (rows.length < part || found.length >= limit) return found;
    await endSlice(rows.reduce((sum, { body }) => sum + body.length, 0));
  }
}
