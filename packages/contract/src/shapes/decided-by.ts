import { z } from 'zod';

/** What demands or makes a decision: a policy, the root quorum, or another rule of the service. */
const decider = z
  .object({
    by: z.string().describe('POLICY, ROOT_QUORUM, ROOT_USER, SELF_SERVICE, MFA, or the reason of a denial'),
    policyId: z.string().optional(),
    policyName: z.string().optional().describe('The current name. Absent if the policy was deleted or may not be read'),
  })
  .meta({ id: 'Decider' });

/** What a decision followed from. */
export const decidedBy = z
  .object({
    outcome: z.enum(['ALLOW', 'DENY', 'NEEDS_CONSENSUS']),
    deciders: z
      .array(decider)
      .describe('Of an ALLOW or DENY, what it followed from. Of NEEDS_CONSENSUS, what demands further approvals'),
    text: z.string().describe('The same in one sentence'),
  })
  .meta({ id: 'DecidedBy' });

/** The decisions on an activity. */
export const authorization = z
  .object({
    demanded: decidedBy.optional().describe('What demanded approvals. Absent if the request never needed any'),
    decided: decidedBy.optional().describe('What the final decision followed from. Absent while the request is pending'),
  })
  .meta({ id: 'Authorization' });

export type DeciderShape = z.output<typeof decider>;

/** What a decision followed from. */
export type DecidedByShape = z.output<typeof decidedBy>;
