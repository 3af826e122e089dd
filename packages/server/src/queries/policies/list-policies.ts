import { queries } from '@countersign/contract';
import { showPolicy } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';

export const listPolicies = resolve(queries.listPolicies, async ({ organization, showBeyondSpec }) => ({
  policies: [...organization.policies].map(([id, policy]) => showPolicy(id, policy, showBeyondSpec)),
}));
