import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { explainedDecision } from '../../shapes/decisions.ts';
import { parsedTransaction } from '../../shapes/effects.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const simulateActivity = defineQuery({
  name: 'simulateActivity',
  path: 'simulate_activity',
  subject: 'policies',
  summary: 'Show how an activity would be authorized. Nothing is stored or signed',
  reads: { resources: ['POLICY', 'USER', 'WALLET', 'PRIVATE_KEY', 'CONTACT'] },
  input: z.strictObject({
    organizationId,
    type: z.string().max(128).describe('The activity type, as in a submit request'),
    parameters: z.record(z.string(), z.unknown()).describe('The parameters, as in a submit request'),
    approverIds: z.array(id).max(100).optional().describe('The users who approve, the submitter first. The caller by default'),
    explain: z
      .boolean()
      .optional()
      .describe('Whether to explain the decision: the value of every part of the policies, up to a limit'),
  }),
  output: z.object({
    decision: explainedDecision,
    description: z.string().optional().describe('A description of the parsed transaction or typed message'),
    parsed: parsedTransaction.optional().describe('The effects of the transaction or typed message'),
  }),
});
