import { queries, ServiceError, type SuborgFilter } from '@countersign/contract';
import { invalidField } from '../../activities/refuse.ts';
import { canonicalEmail, suborgLookupKind } from '../../organizations/lookups.ts';
import { resolve } from '../../pipeline/query.ts';
import { toPage } from '../page.ts';

export const listSuborgs = resolve(
  queries.listSuborgs,
  async ({ store, organization }, { filterType, filterValue, paginationOptions }) => {
    const page = toPage(paginationOptions);
    if (filterType === undefined) {
      if (filterValue !== undefined) throw invalidField('filterValue', 'needs a filterType that says what it is');
      return { organizationIds: [...(await store.organizations.children(organization.id, page))] };
    }
    if (filterValue === undefined) throw invalidField('filterType', 'needs a filterValue to look for');
    const rows = await store.lookups.find(
      organization.id,
      suborgLookupKind(filterType),
      canonical(filterType, filterValue),
      page,
    );
    return { organizationIds: rows.map((row) => row.id) };
  },
);

/** The form that the index keeps a value in. */
function canonical(filter: SuborgFilter, value: string): string {
  switch (filter) {
    case 'EMAIL':
      return canonicalEmail(value);
    case 'PUBLIC_KEY':
      return value.toLowerCase();
    case 'OIDC_TOKEN':
      throw new ServiceError(
        'NOT_OFFERED',
        'This server trusts no OpenID Connect issuer, so no sub-organization can be found by a token. Use another filterType.',
      );
    default:
      return value;
  }
}
