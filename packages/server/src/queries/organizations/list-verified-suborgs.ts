import { queries } from '@countersign/contract';
import { canonicalContact } from '../../organizations/contacts.ts';
import { anyProvenSuborg, provenLookupKind } from '../../organizations/snapshot/lookups.ts';
import { resolve } from '../../pipeline/query.ts';
import { toPage } from '../page.ts';
import { readSuborgFilter } from './suborg-filter.ts';

const types = { EMAIL: 'OTP_TYPE_EMAIL', PHONE_NUMBER: 'OTP_TYPE_SMS' } as const;

export const listVerifiedSuborgs = resolve(
  queries.listVerifiedSuborgs,
  async ({ store, organization }, { filterType, filterValue, paginationOptions }) => {
    const filter = readSuborgFilter<keyof typeof types>(filterType, filterValue);
    const [kind, value] =
      filter === undefined
        ? [anyProvenSuborg.kind, anyProvenSuborg.value]
        : [provenLookupKind(filter.filterType), canonicalContact(types[filter.filterType], filter.filterValue)];
    const rows = await store.lookups.find(organization.id, kind, value, toPage(paginationOptions));
    return { organizationIds: rows.map(({ id }) => id) };
  },
);
