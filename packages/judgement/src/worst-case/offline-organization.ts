import type { PolicySource } from '@countersign/policy';
import type { JudgedOrganization } from '../organization.ts';
import { POLICY_LANGUAGE } from '../policy-language-1.ts';
import type { PolicyRecord } from '../records.ts';

/** A policy as it would be stored now, or as it is stored in an earlier language: it keeps its meaning. */
export function recordOf({ id, effect, condition, consensus, time, language = POLICY_LANGUAGE }: PolicySource): PolicyRecord {
  return {
    policyName: id,
    effect,
    ...(condition && { condition }),
    ...(consensus && { consensus }),
    ...(time && { time }),
    notes: '',
    // A record of the first language has none.
    ...(language > 1 && { language: language as 2 | 3 }),
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}

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
