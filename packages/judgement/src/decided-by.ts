import type { DecidedByShape, DeciderShape } from '@countersign/contract';
import type { Denial } from '@countersign/policy';
import { quoteText } from './compare/shown-text.ts';
import type { DecisionRecord } from './votes.ts';

type Decided = Pick<DecisionRecord, 'outcome' | 'by' | 'policyIds' | 'evaluations'>;

/** The current name of a policy. Undefined for one that was deleted, or that the reader may not read. */
export type PolicyNameOf = (policyId: string) => string | undefined;

/** The most policies that a sentence names. */
const MAX_NAMED = 10;

/** What a stored decision followed from, or which policies demand more approvals. */
export function decidedBy(decision: Decided, nameOf: PolicyNameOf): DecidedByShape {
  const { outcome, by = '', policyIds } = decision;
  const policy = (policyId: string): DeciderShape => {
    const policyName = nameOf(policyId);
    return { by: 'POLICY', policyId, ...(policyName !== undefined && { policyName }) };
  };
  if (outcome === 'NEEDS_CONSENSUS') return demandedBy(decision, policy);
  const deciders = by === 'POLICY' ? policyIds.map(policy) : [{ by }];
  const verb = outcome === 'ALLOW' ? 'Allowed' : 'Denied';
  const text = by === 'POLICY' ? `${verb} by ${listed(deciders)}` : (reasons[by] ?? `${verb} (${by})`);
  return { outcome, deciders, text };
}

const reasons: Readonly<Record<string, string>> = {
  ROOT_QUORUM: 'Allowed by the root quorum',
  ROOT_USER: 'Allowed because one root user may do this',
  SELF_SERVICE: 'Allowed because users manage their own credentials',
  IMPLICIT: 'Denied because no policy allows it',
  ROOT_QUORUM_ONLY: 'Denied because only the root quorum may do this',
  STEP_LIMIT: 'Denied because the policies take more steps than one decision may',
  FROZEN: 'Denied because of a freeze',
  REJECTION: 'Rejected by a vote',
};

/**
 * Why requests are denied, without the policies that deny them.
 * SECURITY: D998: no name and no id, because the reader may not see policies.
 */
export function deniedWords(by: Denial['by']): string {
  return by === 'POLICY' ? 'Denied by a policy' : (reasons[by] ?? `Denied (${by})`);
}

function demandedBy({ outcome, policyIds, evaluations }: Decided, policy: (policyId: string) => DeciderShape): DecidedByShape {
  const quorum = { by: 'ROOT_QUORUM' };
  if (policyIds.length > 0) {
    const denying = policyIds.map(policy);
    return { outcome, deciders: [quorum, ...denying], text: `Denied by ${listed(denying)} unless the root quorum approves it` };
  }
  const requiring = evaluations
    .filter((each) => each.outcome === 'OUTCOME_REQUIRES_CONSENSUS')
    .map(({ policyId }) => policy(policyId));
  if (requiring.length > 0) return { outcome, deciders: requiring, text: `Approvals are demanded by ${listed(requiring)}` };
  if (evaluations.some((each) => each.outcome === 'OUTCOME_ALLOW'))
    return { outcome, deciders: [{ by: 'MFA' }], text: 'Further authentication is demanded by the MFA policies of an approver' };
  return { outcome, deciders: [quorum], text: 'The root quorum must approve it' };
}

function listed(deciders: readonly DeciderShape[]): string {
  const shown = deciders
    .slice(0, MAX_NAMED)
    .map(({ policyId = '', policyName }) =>
      policyName === undefined ? `policy ${policyId}` : `policy ${quoteText(policyName)} (${policyId})`,
    );
  const more = deciders.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
