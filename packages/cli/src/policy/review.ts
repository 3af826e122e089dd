import type { PolicySource } from '@countersign/policy';
import { harms, organizationOf, recordOf, stricterPolicies } from '@countersign/server';

/** A policy as the service lists it. */
export interface ListedPolicy extends Omit<PolicySource, 'id'> {
  readonly policyId: string;
  readonly policyName: string;
}

/** A policy that allows less than under earlier rules. */
export interface ReviewedPolicy {
  readonly policyId: string;
  readonly policyName: string;
  readonly changes: readonly { readonly request: string; readonly harm: string }[];
}

/** The requests of one policy that are listed. */
const MAX_LISTED = 5;

export function reviewPolicies(policies: readonly ListedPolicy[], nowMs: number): readonly ReviewedPolicy[] {
  const names = new Map(policies.map(({ policyId, policyName }) => [policyId, policyName]));
  const records = policies.map(({ policyId, ...policy }) => [policyId, recordOf({ ...policy, id: policyId })] as const);
  return stricterPolicies(organizationOf(new Map(records)), nowMs).map(({ policyId, requests }) => ({
    policyId,
    policyName: names.get(policyId) ?? policyId,
    changes: requests.slice(0, MAX_LISTED).map(({ request }) => ({
      request: request.id,
      harm: (harms.find(({ id }) => id === request.harm)?.harm ?? '').replace('{to}', 'a receiver'),
    })),
  }));
}
