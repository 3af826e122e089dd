import { queries, type SuborgFilter } from '@countersign/contract';
import { canonicalEmail } from '@countersign/judgement';
import { readCredentialId } from '../../auth/webauthn/credential-id.ts';
import { identityKey } from '../../organizations/snapshot/indexes.ts';
import { anySuborg, suborgLookupKind } from '../../organizations/snapshot/lookups.ts';
import { resolve } from '../../pipeline/query.ts';
import { toPage } from '../page.ts';
import { readSuborgFilter } from './suborg-filter.ts';

export const listSuborgs = resolve(
  queries.listSuborgs,
  async (
    { store, suborgNames, organization, identify },
    { filterType, filterValue, includeNames = false, paginationOptions },
  ) => {
    const page = toPage(paginationOptions);
    const found = async (kind: string, value: string) => {
      if (!includeNames)
        return { organizationIds: (await store.lookups.find(organization.id, kind, value, page)).map((row) => row.id) };
      const organizations = await suborgNames.page(organization.id, kind, value, page);
      return { organizationIds: organizations.map(({ organizationId }) => organizationId), organizations: [...organizations] };
    };
    const filter = readSuborgFilter<SuborgFilter>(filterType, filterValue);
    if (filter === undefined) return found(anySuborg.kind, anySuborg.value);
    const value =
      filter.filterType === 'OIDC_TOKEN'
        ? identityKey(await identify(filter.filterValue, 'filterValue'))
        : canonical(filter.filterType, filter.filterValue);
    const [first, second] = filter.filterType === 'CREDENTIAL_ID' ? (readCredentialId(value) ?? [value]) : [value];
    const kind = suborgLookupKind(filter.filterType);
    if (second === undefined) return found(kind, first);
    // An id that is registered as it is written comes first, as for stamps.
    const [isKnown] = await store.lookups.find(organization.id, kind, first, { limit: 1 });
    return found(kind, isKnown === undefined ? second : first);
  },
);

/** Normalizes a value to its form in the index. */
function canonical(filter: SuborgFilter, value: string): string {
  switch (filter) {
    case 'EMAIL':
      return canonicalEmail(value);
    case 'PUBLIC_KEY':
      return value.toLowerCase();
    default:
      return value;
  }
}
