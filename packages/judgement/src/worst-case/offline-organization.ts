import type { JudgedOrganization } from '../organization.ts';
import type { PolicyRecord } from '../records.ts';

/** An organization that has only policies, by their ids. */
export function organizationOf(policies: ReadonlyMap<string, PolicyRecord>): JudgedOrganization {
  return {
    id: 'offline',
    profile: { rootQuorum: { threshold: 1, userIds: [] }, features: [] },
    users: new Map(),
    apiKeys: new Map(),
    authenticators: new Map(),
    policies,
    records: {
      mfaPolicy: new Map(),
      contact: new Map(),
      token: new Map(),
      oauthProvider: new Map(),
      smartContractInterface: new Map(),
      velocityControl: new Map(),
      freeze: new Map(),
    },
    apiKeyByPublicKey: new Map(),
  };
}
