import { queries } from '@countersign/contract';
import type { PolicyRecord } from '../../organizations/records.ts';
import { showPolicy } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';
import { shortenPolicy } from '../shorten.ts';

export const listPolicies = resolve(queries.listPolicies, async (context, { paginationOptions }) => {
  const { organization, showBeyondSpec } = context;
  const show = (id: string, policy: PolicyRecord) => showPolicy(id, policy, showBeyondSpec);
  return { policies: await listRecords(context, organization.policies, paginationOptions, show, { shorten: shortenPolicy }) };
});
