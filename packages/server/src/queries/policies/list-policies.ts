import { queries } from '@countersign/contract';
import { showPolicy } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listPolicies = resolve(
  queries.listPolicies,
  async ({ organization, showBeyondSpec, endSlice }, { paginationOptions }) => ({
    policies: await listRecords(endSlice, organization.policies, paginationOptions, (id, policy) =>
      showPolicy(id, policy, showBeyondSpec),
    ),
  }),
);
