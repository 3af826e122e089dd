import { canonicalAddress } from '@countersign/chains';
import type { SuborgFilter } from '@countersign/contract';
import { provenContact, signInContact } from './contacts.ts';
import type { OauthProviderRecord, Resource } from './records.ts';
import type { Snapshot } from './snapshot.ts';

/** One index entry of an organization: `kind` and `value` lead to `id`. */
export interface Lookup {
  readonly kind: string;
  readonly value: string;
  readonly id: string;
}

/** The index kind of a sub-organization filter. The parent holds the entry. */
export function suborgLookupKind(filter: SuborgFilter): string {
  return `suborg.${filter}`;
}

/** The index kind of a credential that its holder has used in the sub-organization. The parent holds the entry. */
export function usedLookupKind(filter: 'PUBLIC_KEY' | 'CREDENTIAL_ID'): string {
  return `suborg.used.${filter}`;
}

/** The index kind of a contact that its user has proven. The parent holds the entry. */
export function provenLookupKind(filter: 'EMAIL' | 'PHONE_NUMBER'): string {
  return `suborg.proven.${filter}`;
}

/** The entry that every sub-organization has under its parent. */
export const anySuborg = { kind: 'suborg', value: '' } as const;

/** The entry of a sub-organization that has a user with a proven contact. */
export const anyProvenSuborg = { kind: 'suborg.proven', value: '' } as const;

/** The one text of an OpenID Connect identity. Two texts are equal only if issuer, audience and subject are. */
export function identityKey({ issuer, audience, subject }: Pick<OauthProviderRecord, 'issuer' | 'audience' | 'subject'>): string {
  return JSON.stringify([issuer, audience, subject]);
}

/** The entries by which a parent finds this sub-organization. None once it is deleted. */
export function suborgLookups(snapshot: Snapshot): Map<string, Lookup> {
  const found = new Map<string, Lookup>();
  if (snapshot.profile.deletedAtMs !== undefined) return found;
  found.set(anySuborg.kind, { ...anySuborg, id: snapshot.id });
  const addKind = (kind: string, value: string | undefined) => {
    if (value !== undefined) found.set(`${kind}/${value}`, { kind, value, id: snapshot.id });
  };
  const add = (filter: SuborgFilter, value: string | undefined) => addKind(suborgLookupKind(filter), value);
  add('NAME', snapshot.profile.name);
  for (const user of snapshot.users.values()) {
    add('USERNAME', user.userName);
    add('EMAIL', signInContact(user, 'OTP_TYPE_EMAIL'));
    add('PHONE_NUMBER', signInContact(user, 'OTP_TYPE_SMS'));
    const [provenEmail, provenPhone] = [provenContact(user, 'OTP_TYPE_EMAIL'), provenContact(user, 'OTP_TYPE_SMS')];
    addKind(provenLookupKind('EMAIL'), provenEmail);
    addKind(provenLookupKind('PHONE_NUMBER'), provenPhone);
    if (provenEmail !== undefined || provenPhone !== undefined) addKind(anyProvenSuborg.kind, anyProvenSuborg.value);
  }
  for (const { publicKey, provenAtMs } of snapshot.apiKeys.values()) {
    add('PUBLIC_KEY', publicKey);
    if (provenAtMs !== undefined) addKind(usedLookupKind('PUBLIC_KEY'), publicKey);
  }
  for (const { credentialId, provenAtMs } of snapshot.authenticators.values()) {
    add('CREDENTIAL_ID', credentialId);
    if (provenAtMs !== undefined) addKind(usedLookupKind('CREDENTIAL_ID'), credentialId);
  }
  for (const provider of snapshot.records.oauthProvider.values()) add('OIDC_TOKEN', identityKey(provider));
  return found;
}

/** The index value of a wallet account's path. */
export function pathLookupValue(walletId: string, path: string): string {
  return `${walletId}/${path}`;
}

/** The entries by which a resource is found within its organization. */
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
