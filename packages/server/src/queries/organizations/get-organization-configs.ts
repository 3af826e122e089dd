import { maskFeature, queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';

export const getOrganizationConfigs = resolve(queries.getOrganizationConfigs, async ({ organization }) => {
  const { features, rootQuorum, billingTier, paymentMethod, throwAway } = organization.profile;
  return {
    configs: {
      features: features.map(maskFeature),
      quorum: { threshold: rootQuorum.threshold, userIds: [...rootQuorum.userIds] },
      ...(billingTier !== undefined && { billingTier }),
      ...(paymentMethod && { paymentMethod }),
      ...(throwAway && { throwAway }),
    },
  };
});
