import { z } from 'zod';
import { policyOutcome } from './policies.ts';

/** A decision and its explanation, down to every sub-expression. */
export const explainedDecision = z
  .object({
    outcome: z.enum(['ALLOW', 'DENY', 'NEEDS_CONSENSUS']),
    /** What decided: the root quorum, policies, a rejection, or the default denial. */
    by: z.string().optional(),
    policyIds: z.array(z.string()),
    policyCount: z.int().optional().describe('The number of policies that decided, if `policyIds` does not list all'),
    evaluations: z.array(policyOutcome),
    evaluatedCount: z.int().optional().describe('The number of evaluated policies, if `evaluations` does not list all'),
    /** The users whose approval would count. */
    mayApprove: z.array(z.string()).optional(),
    explanation: z.record(z.string(), z.unknown()).optional(),
    /** The explanation as a readable tree. */
    text: z.string(),
  })
  .meta({ id: 'ExplainedDecision' });

/** A decision and its explanation. */
export type ExplainedDecisionShape = z.output<typeof explainedDecision>;
