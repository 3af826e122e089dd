import { PersistentMap } from '@countersign/collections';
import { idByCredentialId, idByPublicKey } from '@countersign/judgement';
import type { Head } from '../../store/store.ts';
import {
  type ApiKeyRecord,
  type AuthenticatorRecord,
  type OrganizationRecord,
  type PolicyRecord,
  type RecordBodies,
  type RecordKind,
  recordKinds,
  type UserRecord,
} from '../records.ts';

/** The records of an organization by kind, then by id. */
export type Records = { readonly [K in RecordKind]: PersistentMap<RecordBodies[K]> };

export type RecordMacs = { readonly [K in RecordKind]: PersistentMap<string> };

/**
 * An organization as decisions see it: an immutable value at one version. A change creates a new snapshot that shares all unchanged parts
 * with this one. It excludes data of unbounded size: keys, accounts, activities, sub-organizations.
 */
export interface Snapshot {
  readonly id: string;
  /** The version, and the MAC over everything below. */
  readonly head: Head;
  readonly version: number;
  /** The organization's own record: name, parent, root quorum, features. */
  readonly profile: OrganizationRecord;
  readonly users: PersistentMap<UserRecord>;
  readonly apiKeys: PersistentMap<ApiKeyRecord>;
  readonly authenticators: PersistentMap<AuthenticatorRecord>;
  readonly policies: PersistentMap<PolicyRecord>;
  readonly records: Records;
  /** API key ids by canonical public key. */
  readonly apiKeyByPublicKey: ReadonlyMap<string, string>;
  /** Authenticator ids by credential id. */
  readonly authenticatorByCredentialId: ReadonlyMap<string, string>;
  /** The version that wrote each policy. 0 for policies of releases that did not store it. */
  readonly policyRevisions: PersistentMap<number>;
  /** The MACs of the records as text, by kind, then by id. */
  readonly macs: RecordMacs;
  /** Sums of the elements of all records, and of all wallets and private keys, modulo 2^256. */
  readonly recordsSum: bigint;
  readonly keysSum: bigint;
  /** The wallets and private keys in force, by `macText`. */
  readonly keys: PersistentMap<true>;
  /** Number of wallets and private keys, by kind. */
  readonly keyCounts: Readonly<Record<string, number>>;
  /** Approximate memory in bytes. Versions share nearly all of it. */
  readonly bytes: number;
}

/** The content of a snapshot. */
export type Content = Pick<
  Snapshot,
  'records' | 'policyRevisions' | 'macs' | 'recordsSum' | 'keysSum' | 'keys' | 'keyCounts' | 'bytes'
>;

/** A MAC as a Latin-1 string, one character per byte: for lookups, and because it takes the least memory. */
export function macText(mac: Uint8Array): string {
  return Buffer.from(mac.buffer, mac.byteOffset, mac.length).toString('latin1');
}

/** The inverse of `macText`. */
export function macBytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/** The content of an empty organization. */
export function emptyContent(): Content {
  return {
    records: forEachKind(() => PersistentMap.empty()) as Records,
    policyRevisions: PersistentMap.empty(),
    macs: forEachKind(() => PersistentMap.empty()),
    recordsSum: 0n,
    keysSum: 0n,
    keys: PersistentMap.empty(),
    keyCounts: {},
    bytes: 0,
  };
}

/** Creates a value for each kind of record. */
export function forEachKind<T>(make: (kind: RecordKind) => T): { readonly [K in RecordKind]: T } {
  return Object.fromEntries(recordKinds.map((kind) => [kind, make(kind)])) as { [K in RecordKind]: T };
}

/** Builds a snapshot from content that the caller has verified. */
export function buildSnapshot(id: string, head: Head, content: Content): Snapshot {
  const { records } = content;
  const profile = records.organization.get(id);
  if (profile === undefined) throw new Error('a snapshot needs the record of its organization');
  return {
    id,
    head,
    version: head.version,
    profile,
    users: records.user,
    apiKeys: records.apiKey,
    authenticators: records.authenticator,
    policies: records.policy,
    apiKeyByPublicKey: idByPublicKey(records.apiKey),
    authenticatorByCredentialId: idByCredentialId(records.authenticator),
    ...content,
  };
}
