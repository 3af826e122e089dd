import { queries, type SuborgFilter } from '@countersign/contract';
import { anySuborg, canonicalEmail, identityKey, suborgLookupKind } from '../../organizations/lookups.ts';
import { resolve } from '../../pipeline/query.ts';
import { invalidField } from '../../wire/refuse.ts';
import { toPage } from '../page.ts';

export const listSuborgs = resolve(
  queries.listSuborgs,
  async ({ store, organization, identify }, { filterType, filterValue, paginationOptions }) => {
    const page = toPage(paginationOptions);
    const found = async (kind: string, value: string) => ({
      organizationIds: (await store.lookups.find(organization.id, kind, value, page)).map((row) => row.id),
    });
    if (filterType === undefined) {
      if (filterValue !== undefined) throw invalidField('filterValue', 'needs a filterType that says what it is');
      return found(anySuborg.kind, anySuborg.value);
    }
    if (filterValue === undefined) throw invalidField('filterType', 'needs a filterValue to look for');
    const value =
      filterType === 'OIDC_TOKEN' ? identityKey(await identify(filterValue, 'filterValue')) : canonical(filterType, filterValue);
    return found(suborgLookupKind(filterType), value);
  },
);

/** The form that the index keeps a value in. */
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
