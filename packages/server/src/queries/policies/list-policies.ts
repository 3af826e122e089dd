import { queries } from '@countersign/contract';
import { showPolicy } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listPolicies = resolve(queries.listPolicies, async ({ organization, showBeyondSpec }, { paginationOptions }) => ({
  policies: await listRecords(organization.id, organization.policies, paginationOptions, (id, policy) =>
    showPolicy(id, policy, showBeyondSpec),
  ),
}));
