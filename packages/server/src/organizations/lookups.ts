import { canonicalAddress } from '@countersign/chains';
import type { SuborgFilter } from '@countersign/contract';
import type { OauthProviderRecord, Resource } from './records.ts';
import type { Snapshot } from './snapshot.ts';

/** One index entry of an organization: what `kind` and `value` lead to. */
export interface Lookup {
  readonly kind: string;
  readonly value: string;
  readonly id: string;
}

/** The index kind of a sub-organization filter, kept under the parent. */
export function suborgLookupKind(filter: SuborgFilter): string {
  return `suborg.${filter}`;
}

/** The entry that a sub-organization has under its parent whatever else it is found by. */
export const anySuborg = { kind: 'suborg', value: '' } as const;

/** E-mail addresses are compared without regard to case. */
export function canonicalEmail(email: string): string {
  return email.toLowerCase();
}

/** The one text of an OpenID Connect identity: two texts are equal only where issuer, audience and subject are. */
export function identityKey({ issuer, audience, subject }: Pick<OauthProviderRecord, 'issuer' | 'audience' | 'subject'>): string {
  return JSON.stringify([issuer, audience, subject]);
}

/** What a parent can find this sub-organization by: nothing once it was deleted. */
export function suborgLookups(snapshot: Snapshot): Map<string, Lookup> {
  const found = new Map<string, Lookup>();
  if (snapshot.profile.deletedAtMs !== undefined) return found;
  found.set(anySuborg.kind, { ...anySuborg, id: snapshot.id });
  const add = (filter: SuborgFilter, value: string | undefined) => {
    if (value === undefined) return;
    const kind = suborgLookupKind(filter);
    found.set(`${kind}/${value}`, { kind, value, id: snapshot.id });
  };
  add('NAME', snapshot.profile.name);
  for (const user of snapshot.users.values()) {
    add('USERNAME', user.userName);
    add('EMAIL', user.userEmail === undefined ? undefined : canonicalEmail(user.userEmail));
    add('PHONE_NUMBER', user.userPhoneNumber);
  }
  for (const key of snapshot.apiKeys.values()) add('PUBLIC_KEY', key.publicKey);
  for (const authenticator of snapshot.authenticators.values()) add('CREDENTIAL_ID', authenticator.credentialId);
  for (const provider of snapshot.records.oauthProvider.values()) add('OIDC_TOKEN', identityKey(provider));
  return found;
}

/** What a wallet account is found by within its wallet. */
export function pathLookupValue(walletId: string, path: string): string {
  return `${walletId}/${path}`;
}

/** What a resource can be found by within its organization. */
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
