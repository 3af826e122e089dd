import type { Decision } from '@countersign/policy';
import type { Judgement } from './judgement.ts';
import { oneTimeKeyDecision } from './one-time-key.ts';
import { scopeRefusal } from './session-scope.ts';

/**
 * The decision that the submitter's credential makes before anybody is asked: a session whose profile does not allow the activity, or a
 * one-time key. Undefined for every other credential.
 * SECURITY: it comes before the root quorum, which a root user's session could meet by itself.
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
