import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { showPolicy } from '../show.ts';

export const listPolicies = resolve(queries.listPolicies, async ({ organization, showBeyondSpec }) => ({
  policies: [...organization.policies].map(([id, policy]) => showPolicy(id, policy, showBeyondSpec)),
}));
