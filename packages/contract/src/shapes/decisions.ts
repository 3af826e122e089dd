import { z } from 'zod';
import { policyOutcome } from './policies.ts';

/** A decision with its explanation down to every sub-expression. The tree is for people and tools: its leaves are texts. */
export const explainedDecision = z
  .object({
    outcome: z.enum(['ALLOW', 'DENY', 'NEEDS_CONSENSUS']),
    /** What decided: the root quorum, policies, a rejection, or nothing that would allow it. */
    by: z.string().optional(),
    policyIds: z.array(z.string()),
    evaluations: z.array(policyOutcome),
    /** Who could still bring the activity forward. */
    mayApprove: z.array(z.string()).optional(),
    explanation: z.record(z.string(), z.unknown()).optional(),
    /** The explanation as a readable tree. */
    text: z.string(),
  })
  .meta({ id: 'ExplainedDecision' });

export type ExplainedDecisionShape = z.output<typeof explainedDecision>;
