import type { Decision, Waiting } from '../decide/decide.ts';
import { cutText } from './show-value.ts';

/** The most policies, and the most users, that an explanation lists of a decision. */
const MAX_LISTED = 200;
const MAX_REQUIREMENT = 160;

/** Whether a decision lists more than an explanation does. */
export function isShortened(decision: Decision): boolean {
  return (
    decision.evaluations.length > MAX_LISTED ||
    decision.policyIds.length > MAX_LISTED ||
    (decision.outcome === 'NEEDS_CONSENSUS' && isLongWait(decision))
  );
}

function isLongWait({ waiting, mayApprove }: Decision & { outcome: 'NEEDS_CONSENSUS' }): boolean {
  return (
    waiting.length > MAX_LISTED ||
    mayApprove.length > MAX_LISTED ||
    waiting.some(({ missing }) => missing.some(({ requirement }) => requirement.length > MAX_REQUIREMENT))
  );
}

/** A decision with bounded lists, for an explanation. */
export function shortenDecision(decision: Decision): Decision {
  if (!isShortened(decision)) return decision;
  const evaluations = decision.evaluations.slice(0, MAX_LISTED);
  const policyIds = decision.policyIds.slice(0, MAX_LISTED);
  if (decision.outcome !== 'NEEDS_CONSENSUS') return { ...decision, policyIds, evaluations };
  const mayApprove = decision.mayApprove.slice(0, MAX_LISTED);
  return { ...decision, policyIds, evaluations, mayApprove, waiting: decision.waiting.slice(0, MAX_LISTED).map(shortenWaiting) };
}

function shortenWaiting(waiting: Waiting): Waiting {
  const missing = waiting.missing.slice(0, MAX_LISTED).map(({ count, requirement, userIds }) => ({
    count,
    requirement: cutText(requirement, MAX_REQUIREMENT),
    userIds: userIds.slice(0, MAX_LISTED),
  }));
  return { ...waiting, missing };
}
