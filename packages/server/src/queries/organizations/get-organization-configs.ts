import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';

export const getOrganizationConfigs = resolve(queries.getOrganizationConfigs, async ({ organization }) => {
  const { features, rootQuorum } = organization.organization;
  return { configs: { features: [...features], quorum: { threshold: rootQuorum.threshold, userIds: [...rootQuorum.userIds] } } };
});
