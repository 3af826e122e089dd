import type { Decision } from '@countersign/policy';
import type { Judgement } from './judgement.ts';
import { oneTimeKeyDecision } from './one-time-key.ts';
import { scopeRefusal } from './session-scope.ts';

/**
 * The decision that the submitter's credential alone determines: DENY for a session whose profile does not allow the activity, or the
 * decision of a one-time key. Undefined for other credentials.
 * SECURITY: it precedes the root quorum, which a root user's session could meet alone.
 */
export function decideByCredential(judgement: Judgement): Decision | undefined {
  return bySession(judgement) ?? byOneTimeKey(judgement);
}

function bySession(judgement: Judgement): Decision | undefined {
  if (scopeRefusal(judgement, judgement.votes[0]?.credentialId) === undefined) return undefined;
  return { outcome: 'DENY', by: 'IMPLICIT', policyIds: [], evaluations: [] };
}

function byOneTimeKey(judgement: Judgement): Decision | undefined {
  const verdict = oneTimeKeyDecision(judgement);
  if (verdict === undefined) return undefined;
  const base = { policyIds: [], evaluations: [] };
  return verdict.allowed ? { outcome: 'ALLOW', by: 'SELF_SERVICE', ...base } : { outcome: 'DENY', by: 'IMPLICIT', ...base };
}
