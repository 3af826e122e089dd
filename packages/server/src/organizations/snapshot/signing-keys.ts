import { canonicalAddress } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import { isSameKey } from '@countersign/judgement';
import { LRUCache } from 'lru-cache';
import { idleLru, lazyLru, sweepIdle } from '../../admission/index.ts';
import type { Resource, ResourceKind } from '../records.ts';
import type { Snapshot } from './snapshot.ts';
import type { VerifiedResources } from './verified-resources.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A key that `signWith` names. */
export type SigningKey = Resource<'privateKey'> | Resource<'walletAccount'>;

export interface SigningKeys {
  /** The wallet of an account in force, for policies. Cached with the key. */
  walletOf(snapshot: Snapshot, account: Resource<'walletAccount'>): Promise<Resource<'wallet'>>;
  /** The only key with an address or id. Throws SIGN_WITH_NOT_FOUND for none and for several. */
  signingKey(snapshot: Snapshot, signWith: string): Promise<SigningKey>;
  /** All keys with an address, oldest first. */
  keysOf(organizationId: string, address: string): Promise<readonly SigningKey[]>;
}

interface KeySource {
  get<K extends ResourceKind>(organizationId: string, kind: K, id: string): Promise<Resource<K> | undefined>;
  /** The ids of all keys with an address. */
  idsOfAddress(organizationId: string, address: string): Promise<readonly string[]>;
}

/** Resolves `signWith`. Resolved keys are cached. */
export function createSigningKeys(verified: VerifiedResources, { get, idsOfAddress }: KeySource, capacity: number): SigningKeys {
  // Keyed by version: any change to a key increments the version, and a commit based on an older cached key fails.
  const resolved = sweepIdle(new LRUCache<string, SigningKey>({ ...lazyLru(capacity), ...idleLru }));

  async function byId(organizationId: string, id: string): Promise<SigningKey | undefined> {
    return (await get(organizationId, 'privateKey', id)) ?? (await get(organizationId, 'walletAccount', id));
  }

  async function keysOf(organizationId: string, address: string): Promise<readonly SigningKey[]> {
    const wanted = canonicalAddress(address);
    const ids = await idsOfAddress(organizationId, wanted);
    // SECURITY: the index is not authenticated. Only the key itself proves its address.
    return (await Promise.all(ids.map((id) => byId(organizationId, id))))
      .filter((key) => key !== undefined)
      .filter((key) => addressesOf(key).includes(wanted))
      .sort(byAge);
  }

  async function resolve(organizationId: string, signWith: string): Promise<SigningKey> {
    if (uuid.test(signWith)) {
      const key = await byId(organizationId, signWith);
      if (key === undefined) throw missing();
      return key;
    }
    const [key, ...others] = await keysOf(organizationId, signWith);
    if (key === undefined) throw missing();
    if (others.some((other) => !isSameKey(key, other))) throw ambiguous();
    return key;
  }

  return {
    keysOf,
    async signingKey(snapshot, signWith) {
      const cacheKey = `${snapshot.id}/${snapshot.version}/${signWith}`;
      const cached = resolved.get(cacheKey);
      if (cached !== undefined) return cached;
      const key = await resolve(snapshot.id, signWith);
      resolved.set(cacheKey, key);
      return key;
    },
    async walletOf(snapshot, { id, body: { walletId } }) {
      const cached = verified.wallets.get(`${snapshot.id}/${snapshot.version}/${walletId}`);
      if (cached !== undefined && holds(cached, id)) return cached;
      const wallet = (await verified.walletsAt(snapshot.id, snapshot.version, [walletId])).get(walletId);
      if (wallet !== undefined && holds(wallet, id)) return wallet;
      // Another node may have deleted the account, alone or with its wallet, after it was read. If the account still exists, reading it
      // raises the alarm.
      await get(snapshot.id, 'walletAccount', id);
      throw missing();
    },
  };
}

function holds({ body }: Resource<'wallet'>, accountId: string): boolean {
  return !body.deletedAccounts?.includes(accountId);
}

function missing(): ServiceError {
  return new ServiceError(
    'SIGN_WITH_NOT_FOUND',
    'Could not find any resource to sign with: no key of this organization has the address or id given in signWith. Check organizationId as well.',
    { violations: [{ field: 'signWith', description: 'No such key in this organization.' }] },
  );
}

function ambiguous(): ServiceError {
  return new ServiceError(
    'SIGN_WITH_NOT_FOUND',
    'Could not find one resource to sign with: several keys of this organization have this address. Name the key by its id.',
    { violations: [{ field: 'signWith', description: 'More than one key has this address.' }] },
  );
}

/** Ids sort by creation time. */
export function byAge({ id: a }: { readonly id: string }, { id: b }: { readonly id: string }): number {
  return a < b ? -1 : 1;
}

function addressesOf(key: SigningKey): readonly string[] {
  return key.kind === 'walletAccount'
    ? [canonicalAddress(key.body.address)]
    : key.body.addresses.map(({ address }) => canonicalAddress(address));
}
