import { z } from 'zod';
import { activityStatus } from './activity-status.ts';
import { comparison } from './comparison.ts';
import { authorization } from './decided-by.ts';
import { parsedTransaction } from './effects.ts';
import { shortened, timestamp } from './primitives.ts';
import { user } from './users.ts';

/** One user's vote on an activity, with the stamped message, so that it can be verified. */
export const vote = z
  .object({
    id: z.string(),
    userId: z.string(),
    user,
    activityId: z.string(),
    selection: z.enum(['VOTE_SELECTION_APPROVED', 'VOTE_SELECTION_REJECTED']),
    message: z.string(),
    publicKey: z.string(),
    signature: z.string(),
    scheme: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'Vote' });

/** An activity as `get_activity` and `list_activities` show it. */
export const activityDetails = z
  .object({
    id: z.string(),
    organizationId: z.string(),
    status: activityStatus,
    type: z.string(),
    intent: z.record(z.string(), z.unknown()),
    result: z.record(z.string(), z.unknown()),
    votes: z.array(vote),
    fingerprint: z.string(),
    canApprove: z.boolean(),
    canReject: z.boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
    reference: z
      .string()
      .optional()
      .describe('The requester’s own words about the request, as stamped. The service does not check what they say'),
    parsed: parsedTransaction.optional().describe('The effects of the transaction or typed message. Absent for other activities'),
    judgedParameters: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Parameters as they were authorized, if the service resolved more than was sent: the issuer, audience and subject of a token, the tags that a user keeps. Present once approval was required',
      ),
    /** Possible problems, such as a policy that can never match. */
    warnings: z.array(z.string()).optional(),
    comparison: comparison
      .optional()
      .describe(
        'What the request changes: compared with the current state while it is pending, and as it was when it was decided afterwards. Absent if there is nothing to compare',
      ),
    transactionHash: z
      .string()
      .optional()
      .describe(
        'The name of the signed transaction on its chain. The service does not send transactions. Absent while signatures of others are missing that determine it',
      ),
    authorization: authorization
      .optional()
      .describe('Which policies or whether the root quorum demanded approvals, and which allowed the request'),
    failure: z.object({ code: z.number(), message: z.string(), details: z.array(z.unknown()) }).nullable(),
    shortened,
  })
  .meta({ id: 'Activity' });

/** An activity as `get_activity` and `list_activities` show it. */
export type ActivityDetails = z.output<typeof activityDetails>;
