import type { Head } from '../store/store.ts';
import { addElement } from '../vault/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import {
  type ApiKeyRecord,
  type AuthenticatorRecord,
  type OrganizationRecord,
  type PolicyRecord,
  type RecordBodies,
  type RecordKind,
  recordKinds,
  type UserRecord,
} from './records.ts';

/** A record in a snapshot: its content, and the MAC to subtract when it is removed. */
export interface Entry<K extends RecordKind = RecordKind> {
  readonly kind: K;
  readonly id: string;
  readonly body: RecordBodies[K];
  readonly mac: Uint8Array;
}

/**
 * An organization as decisions see it: an immutable value at one version. A change makes a new snapshot.
 * It leaves out what can be numerous: keys, accounts, activities, sub-organizations.
 */
export interface Snapshot {
  readonly id: string;
  /** The version, and the MAC over everything below. */
  readonly head: Head;
  readonly version: number;
  /** The organization's own record: name, parent, root quorum, features. */
  readonly profile: OrganizationRecord;
  readonly users: ReadonlyMap<string, UserRecord>;
  readonly apiKeys: ReadonlyMap<string, ApiKeyRecord>;
  readonly authenticators: ReadonlyMap<string, AuthenticatorRecord>;
  readonly policies: ReadonlyMap<string, PolicyRecord>;
  /** All records by kind, then by id. */
  readonly records: { readonly [K in RecordKind]: ReadonlyMap<string, RecordBodies[K]> };
  /** API key ids by canonical public key. */
  readonly apiKeyByPublicKey: ReadonlyMap<string, string>;
  /** Authenticator ids by credential id. */
  readonly authenticatorByCredentialId: ReadonlyMap<string, string>;
  /** Every record by `kind/id`. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Sums of the elements of all records, and of all wallets and private keys, modulo 2^256. */
  readonly recordsSum: bigint;
  readonly keysSum: bigint;
  /** The wallets and private keys in force, by `keyMark`. */
  readonly keys: ReadonlySet<string>;
}

/** What a snapshot knows of an organization's content besides its records. */
export type Content = Pick<Snapshot, 'recordsSum' | 'keysSum' | 'keys'>;

/** The MAC of a wallet or private key as text, for lookups. */
export function keyMark(mac: Uint8Array): string {
  return Buffer.from(mac.buffer, mac.byteOffset, mac.length).toString('latin1');
}

export function entryKey(kind: string, id: string): string {
  return `${kind}/${id}`;
}

/** The sum of row elements modulo 2^256. */
export function sumOf(integrity: Integrity, macs: Iterable<Uint8Array>): bigint {
  let sum = 0n;
  for (const mac of macs) sum = addElement(sum, integrity.element(mac));
  return sum;
}

/** Arranges checked entries into a snapshot. The caller vouches for `content`. */
export function buildSnapshot(id: string, head: Head, entries: ReadonlyMap<string, Entry>, content: Content): Snapshot {
  const byKind = Object.fromEntries(recordKinds.map((kind) => [kind, new Map()])) as {
    [K in RecordKind]: Map<string, RecordBodies[K]>;
  };
  for (const entry of entries.values()) (byKind[entry.kind] as Map<string, unknown>).set(entry.id, entry.body);
  const profile = byKind.organization.get(id);
  if (profile === undefined) throw new Error('a snapshot needs the record of its organization');
  return {
    id,
    head,
    version: head.version,
    profile,
    records: byKind,
    users: byKind.user,
    apiKeys: byKind.apiKey,
    authenticators: byKind.authenticator,
    policies: byKind.policy,
    apiKeyByPublicKey: new Map([...byKind.apiKey].map(([keyId, key]) => [key.publicKey, keyId])),
    authenticatorByCredentialId: new Map([...byKind.authenticator].map(([keyId, key]) => [key.credentialId, keyId])),
    entries,
    ...content,
  };
}
