import { canonicalAddress } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import { isSameKey } from '@countersign/judgement';
import { LRUCache } from 'lru-cache';
import { createSlices, type EndSlice, lazyLru, mapInSlices } from '../../admission/index.ts';
import type { ResourceRow } from '../../store/rows.ts';
import type { Page, Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import type { Resource, ResourceBodies, ResourceKind } from '../records.ts';
import { type Alarm, tampered } from './load.ts';
import { pathLookupValue } from './lookups.ts';
import type { Snapshot } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';
import { readVerifiedAccounts } from './verify-accounts.ts';
import { readVerifiedResources } from './verify-resources.ts';

/** A key that `signWith` names. */
export type SigningKey = Resource<'privateKey'> | Resource<'walletAccount'>;

/** Wallets, accounts and private keys. Each read verifies that the service wrote them and that they are still in force. */
export interface Resources {
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
  /** The wallet of an account in force, for policies. Cached with the key. */
  walletOf(snapshot: Snapshot, account: Resource<'walletAccount'>): Promise<Resource<'wallet'>>;
  /** The only key with an address or id. Throws SIGN_WITH_NOT_FOUND for none and for several. */
  signingKey(snapshot: Snapshot, signWith: string): Promise<SigningKey>;
}

/** Rows per batch. */
const PART_ROWS = 250;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

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
  // Keyed by version: any change to a key increments the version, and a commit based on an older cached key fails.
  const resolved = new LRUCache<string, SigningKey>(lazyLru(capacity));
  const wallets = new LRUCache<string, Resource<'wallet'>>({
    // A wallet may list thousands of deleted accounts, and each version is cached separately, so bound the total size.
    maxSize: capacity * 10,
    sizeCalculation: ({ body }) => 10 + (body.deletedAccounts?.length ?? 0),
  });

  function check<K extends ResourceKind>(row: ResourceRow): Resource<K> {
    const { organizationId, kind, id, parentId, body, mac } = row;
    const altered = () => tampered(alarm, organizationId, `the ${kind} ${id} was changed or inserted outside the service`);
    if (!macsEqual(integrity.row('resources', organizationId, kind, id, body), mac)) throw altered();
    const content = JSON.parse(body) as ResourceBodies[K];
    const expectedParent = kind === 'walletAccount' ? (content as ResourceBodies['walletAccount']).walletId : '';
    if (parentId !== expectedParent) throw altered();
    return { kind: kind as K, id, parentId, body: content, mac };
  }

  async function read<K extends ResourceKind>(
    organizationId: string,
    kind: K,
    rows: () => Promise<readonly ResourceRow[]>,
    endSlice = createSlices(organizationId),
  ): Promise<readonly Resource<K>[]> {
    if (kind === 'walletAccount') return (await readAccounts(organizationId, rows)) as readonly Resource<K>[];
    const checked = async () => mapInSlices(await rows(), endSlice, (row) => check<K>(row));
    return snapshots === undefined ? checked() : readVerifiedResources(snapshots, alarm, organizationId, checked);
  }

  async function readAccounts(organizationId: string, rows: () => Promise<readonly ResourceRow[]>) {
    const checked = async () => (await rows()).map((row) => check<'walletAccount'>(row));
    // INVARIANT: read the version before the wallets, so no wallet is older than the version it is cached under.
    const version = (await snapshots?.get(organizationId))?.version;
    return readVerifiedAccounts(alarm, organizationId, checked, (ids) => walletsAt(organizationId, version, ids));
  }

  /** Wallets in force, at a version or newer. Without a version, bypasses the cache. Missing wallets are read in one query. */
  async function walletsAt(organizationId: string, version: number | undefined, ids: readonly string[]) {
    const found = new Map<string, Resource<'wallet'>>();
    const unknown: string[] = [];
    for (const id of new Set(ids)) {
      const cached = version === undefined ? undefined : wallets.get(`${organizationId}/${version}/${id}`);
      if (cached === undefined) unknown.push(id);
      else found.set(id, cached);
    }
    if (unknown.length === 0) return found;
    const rows = await read(organizationId, 'wallet', () => store.resources.many(organizationId, 'wallet', unknown));
    for (const wallet of rows) {
      found.set(wallet.id, wallet);
      if (version !== undefined) wallets.set(`${organizationId}/${version}/${wallet.id}`, wallet);
    }
    return found;
  }

  /** The oldest rows, in batches: reading thousands of rows in one query would delay other requests by milliseconds. */
  async function oldest(
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
      const rows = (await store.resources.page(organizationId, kind, page)).toReversed();
      found.push(...rows);
      if (rows.length < part || found.length >= limit) return found;
      await endSlice(rows.reduce((sum, { body }) => sum + body.length, 0));
    }
  }

  /** All ids of an index entry. One path or address never has as many keys as the limit. */
  async function idsOf(organizationId: string, kind: string, value: string): Promise<readonly string[]> {
    return (await store.lookups.find(organizationId, kind, value, { limit: 100 })).map(({ id }) => id);
  }

  /** The accounts with these ids. Missing ones are omitted. */
  function accountsWith(organizationId: string, ids: readonly string[]) {
    return readAccounts(organizationId, () => store.resources.many(organizationId, 'walletAccount', ids));
  }

  const resources: Resources = {
    async get<K extends ResourceKind>(organizationId: string, kind: K, id: string) {
      const [found] = await read(organizationId, kind, async () => {
        const row = await store.resources.get(organizationId, kind, id);
        return row === undefined ? [] : [row];
      });
      return found;
    },
    async list<K extends ResourceKind>(organizationId: string, kind: K) {
      return read(organizationId, kind, () => store.resources.list(organizationId, kind));
    },
    async page<K extends ResourceKind>(organizationId: string, kind: K, page: Page, parentId?: string) {
      return read(organizationId, kind, () => store.resources.page(organizationId, kind, page, parentId));
    },
    async first<K extends ResourceKind>(organizationId: string, kind: K, limit: number, endSlice: EndSlice) {
      return read(organizationId, kind, () => oldest(organizationId, kind, limit, endSlice), endSlice);
    },
    async walletsOf(organizationId, ids) {
      const version = (await snapshots?.get(organizationId))?.version;
      return walletsAt(organizationId, version, ids);
    },
    async find(organizationId, kind, value) {
      return (await store.lookups.find(organizationId, kind, value, { limit: 2 })).map((row) => row.id);
    },
    async accountsAt(organizationId, walletId, path) {
      const accounts = await accountsWith(
        organizationId,
        await idsOf(organizationId, 'accountPath', pathLookupValue(walletId, path)),
      );
      // SECURITY: the index is not authenticated. Only the account itself proves its wallet and path.
      return accounts.filter(({ body }) => body.walletId === walletId && body.path === path).sort(byAge);
    },
    async accountsOf(organizationId, address) {
      const wanted = canonicalAddress(address);
      const accounts = await accountsWith(organizationId, await idsOf(organizationId, 'address', wanted));
      return accounts.filter(({ body }) => canonicalAddress(body.address) === wanted).sort(byAge);
    },
    async walletOf(snapshot, account) {
      const { id, body } = account;
      const cached = wallets.get(`${snapshot.id}/${snapshot.version}/${body.walletId}`);
      return cached !== undefined && holds(cached, id) ? cached : readWalletOf(snapshot, account);
    },
    async signingKey(snapshot, signWith) {
      const cacheKey = `${snapshot.id}/${snapshot.version}/${signWith}`;
      const cached = resolved.get(cacheKey);
      if (cached !== undefined) return cached;
      const key = await resolve(snapshot.id, signWith);
      resolved.set(cacheKey, key);
      return key;
    },
  };

  async function readWalletOf(snapshot: Snapshot, { id, body: { walletId } }: Resource<'walletAccount'>) {
    const wallet = (await walletsAt(snapshot.id, snapshot.version, [walletId])).get(walletId);
    if (wallet !== undefined && holds(wallet, id)) return wallet;
    // Another node may have deleted the account, alone or with its wallet, after it was read. If the account still exists, reading it
    // raises the alarm.
    await resources.get(snapshot.id, 'walletAccount', id);
    throw missing();
  }

  async function byId(organizationId: string, id: string): Promise<SigningKey | undefined> {
    return (await resources.get(organizationId, 'privateKey', id)) ?? (await resources.get(organizationId, 'walletAccount', id));
  }

  async function resolve(organizationId: string, signWith: string): Promise<SigningKey> {
    if (uuid.test(signWith)) {
      const key = await byId(organizationId, signWith);
      if (key === undefined) throw missing();
      return key;
    }
    const wanted = canonicalAddress(signWith);
    const ids = await idsOf(organizationId, 'address', wanted);
    const keys = (await Promise.all(ids.map((id) => byId(organizationId, id))))
      .filter((key) => key !== undefined)
      .filter((key) => addressesOf(key).includes(wanted))
      .sort(byAge);
    const [key, ...others] = keys;
    if (key === undefined) throw missing();
    if (others.some((other) => !isSameKey(key, other))) {
      throw new ServiceError(
        'SIGN_WITH_NOT_FOUND',
        'Could not find one resource to sign with: several keys of this organization have this address. Name the key by its id.',
        {
          violations: [{ field: 'signWith', description: 'More than one key has this address.' }],
        },
      );
    }
    return key;
  }

  return resources;
}

function holds({ body }: Resource<'wallet'>, accountId: string): boolean {
  return !body.deletedAccounts?.includes(accountId);
}

function missing(): ServiceError {
  return new ServiceError(
    'SIGN_WITH_NOT_FOUND',
    'Could not find any resource to sign with: no key of this organization has the address or id given in signWith. Check organizationId as well.',
    {
      violations: [{ field: 'signWith', description: 'No such key in this organization.' }],
    },
  );
}

/** Ids sort by creation time. */
function byAge({ id: a }: { readonly id: string }, { id: b }: { readonly id: string }): number {
  return a < b ? -1 : 1;
}

function addressesOf(key: SigningKey): readonly string[] {
  return key.kind === 'walletAccount'
    ? [canonicalAddress(key.body.address)]
    : key.body.addresses.map(({ address }) => canonicalAddress(address));
}
