import { queries } from '@countersign/contract';
import type { PolicyRecord } from '../../organizations/records.ts';
import { showPolicy } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { matcherOf, pageOptions } from '../matching.ts';
import { listRecords } from '../page.ts';
import { shortenPolicy } from '../shorten.ts';

export const listPolicies = resolve(queries.listPolicies, async (context, asked) => {
  const { organization, showBeyondSpec } = context;
  const isMatch = matcherOf(asked.matching);
  const show = (id: string, policy: PolicyRecord) =>
    isMatch(id, [policy.policyName]) ? showPolicy(id, policy, showBeyondSpec) : undefined;
  return { policies: await listRecords(context, organization.policies, pageOptions(asked), show, { shorten: shortenPolicy }) };
});
