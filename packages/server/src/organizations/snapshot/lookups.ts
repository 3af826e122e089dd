import { canonicalAddress } from '@countersign/chains';
import { indexedBy, PersistentMap } from '@countersign/collections';
import type { SuborgFilter } from '@countersign/contract';
import { provenContact, signInContact } from '../contacts.ts';
import type { RecordBodies, RecordKind, Resource } from '../records.ts';
import { identityKey } from './indexes.ts';
import type { Snapshot } from './snapshot.ts';

/** One index entry of an organization: `kind` and `value` lead to `id`. */
export interface Lookup {
  readonly kind: string;
  readonly value: string;
  readonly id: string;
}

/** The index kind of a sub-organization filter. The parent stores the entry. */
export function suborgLookupKind(filter: SuborgFilter): string {
  return `suborg.${filter}`;
}

/** The index kind of a credential whose holder is proven to belong to the sub-organization. The parent stores the entry. */
export function provenCredentialKind(filter: 'PUBLIC_KEY' | 'CREDENTIAL_ID'): string {
  // The name of earlier releases, in which only the first use was a proof.
  return `suborg.used.${filter}`;
}

/** The index kind of a credential that the parent registered when it created the sub-organization. The parent stores the entry. */
export function statedCredentialKind(filter: 'PUBLIC_KEY' | 'CREDENTIAL_ID'): string {
  return `suborg.stated.${filter}`;
}

/** The index kind of a contact that its user has proven. The parent stores the entry. */
export function provenLookupKind(filter: 'EMAIL' | 'PHONE_NUMBER'): string {
  return `suborg.proven.${filter}`;
}

/** The entry that every sub-organization has under its parent. */
export const anySuborg = { kind: 'suborg', value: '' } as const;

/** The entry of a sub-organization that has a user with a proven contact. */
export const anyProvenSuborg = { kind: 'suborg.proven', value: '' } as const;

/** The values that one record of a sub-organization can be found by, by index kind. */
type Found = readonly (readonly [kind: string, value: string | undefined])[];

/** The index entries of a record, for each kind of record that has any. */
const foundBy: { readonly [K in RecordKind]?: (record: RecordBodies[K]) => Found } = {
  user(user) {
    const [provenEmail, provenPhone] = [provenContact(user, 'OTP_TYPE_EMAIL'), provenContact(user, 'OTP_TYPE_SMS')];
    const isProven = provenEmail !== undefined || provenPhone !== undefined;
    return [
      [suborgLookupKind('USERNAME'), user.userName],
      [suborgLookupKind('EMAIL'), signInContact(user, 'OTP_TYPE_EMAIL')],
      [suborgLookupKind('PHONE_NUMBER'), signInContact(user, 'OTP_TYPE_SMS')],
      [provenLookupKind('EMAIL'), provenEmail],
      [provenLookupKind('PHONE_NUMBER'), provenPhone],
      [anyProvenSuborg.kind, isProven ? anyProvenSuborg.value : undefined],
    ];
  },
  apiKey: ({ publicKey, provenAtMs, statedByParent }) => [
    [suborgLookupKind('PUBLIC_KEY'), publicKey],
    [provenCredentialKind('PUBLIC_KEY'), provenAtMs === undefined ? undefined : publicKey],
    [statedCredentialKind('PUBLIC_KEY'), statedByParent && publicKey],
  ],
  authenticator: ({ credentialId, provenAtMs, statedByParent }) => [
    [suborgLookupKind('CREDENTIAL_ID'), credentialId],
    [provenCredentialKind('CREDENTIAL_ID'), provenAtMs === undefined ? undefined : credentialId],
    [statedCredentialKind('CREDENTIAL_ID'), statedByParent && credentialId],
  ],
  oauthProvider: (provider) => [[suborgLookupKind('OIDC_TOKEN'), identityKey(provider)]],
};

const foundKinds = Object.keys(foundBy) as (keyof typeof foundBy)[];
const keyOf = (kind: string, value: string) => `${kind}/${value}`;

/** Records by index entry, for each indexed kind. */
const indexes = new Map(
  foundKinds.map((kind) => [
    kind,
    indexedBy((record: never) =>
      (foundBy[kind] as (of: never) => Found)(record).flatMap(([name, value]) =>
        value === undefined ? [] : [keyOf(name, value)],
      ),
    ),
  ]),
);

/**
 * The difference in a parent's index entries between two versions of a sub-organization. A sub-organization has no entries before it is
 * created and after it is deleted. Only changed records are read.
 */
export function suborgLookupChanges(
  before: Snapshot | undefined,
  after: Snapshot,
): { readonly gone: readonly Lookup[]; readonly come: readonly Lookup[] } {
  const [old, now] = [before, after].map((each) => (each?.profile.deletedAtMs === undefined ? each : undefined));
  const own = new Map([old, now].map((each) => [each, ownLookups(each)]));
  const lookups = new Map<string, Lookup>([...own.values()].flatMap((entries) => [...entries]));
  for (const kind of foundKinds) {
    const rows = (snapshot: Snapshot | undefined): PersistentMap<unknown> => snapshot?.records[kind] ?? PersistentMap.empty();
    for (const { before: was, after: is } of rows(now).differencesFrom(rows(old))) {
      for (const record of [was, is]) {
        if (record === undefined) continue;
        for (const [name, value] of (foundBy[kind] as (of: unknown) => Found)(record))
          if (value !== undefined) lookups.set(keyOf(name, value), { kind: name, value, id: after.id });
      }
    }
  }
  const all = [...indexes];
  const has = (snapshot: Snapshot | undefined, key: string) =>
    snapshot !== undefined &&
    (own.get(snapshot)?.has(key) === true || all.some(([kind, index]) => index(snapshot.records[kind] as never).has(key)));
  const touched = [...lookups].map(([key, lookup]) => ({ lookup, was: has(old, key), is: has(now, key) }));
  return {
    gone: touched.filter(({ was, is }) => was && !is).map(({ lookup }) => lookup),
    come: touched.filter(({ was, is }) => !was && is).map(({ lookup }) => lookup),
  };
}

/** The entries that do not come from users and credentials. */
function ownLookups(snapshot: Snapshot | undefined): ReadonlyMap<string, Lookup> {
  if (snapshot === undefined) return new Map();
  const { id, profile } = snapshot;
  const name = { kind: suborgLookupKind('NAME'), value: profile.name, id };
  return new Map<string, Lookup>([
    [keyOf(anySuborg.kind, anySuborg.value), { ...anySuborg, id }],
    [keyOf(name.kind, name.value), name],
  ]);
}

/** The index value of a wallet account's path. */
export function pathLookupValue(walletId: string, path: string): string {
  return `${walletId}/${path}`;
}

/** The index entries of a resource within its organization. */
export function resourceLookups(resource: Pick<Resource, 'kind' | 'id' | 'body'>): readonly Lookup[] {
  const { id } = resource;
  switch (resource.kind) {
    case 'privateKey': {
      const { addresses, privateKeyName } = resource.body as Resource<'privateKey'>['body'];
      return [
        { kind: 'privateKeyName', value: privateKeyName, id },
        ...addresses.map(({ address }) => ({ kind: 'address', value: canonicalAddress(address), id })),
      ];
    }
    case 'walletAccount': {
      const { address, walletId, path } = resource.body as Resource<'walletAccount'>['body'];
      return [
        { kind: 'address', value: canonicalAddress(address), id },
        { kind: 'accountPath', value: pathLookupValue(walletId, path), id },
      ];
    }
    case 'wallet':
      return [{ kind: 'walletName', value: (resource.body as Resource<'wallet'>['body']).walletName, id }];
  }
}
