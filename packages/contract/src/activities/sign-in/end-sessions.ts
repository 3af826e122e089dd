import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { id } from '../../shapes/primitives.ts';

const params = z
  .strictObject({
    apiKeyId: id.optional().meta({ default: '' }).describe('One session, by the id of its key'),
    userId: id
      .optional()
      .register(policyMarks, { resolved: 'the holder of the session, or the submitter; no value with `all`' })
      .describe('All sessions of this user; the submitter by default'),
    all: z.literal(true).optional().meta({ default: false }).describe('All sessions of the organization'),
  })
  .refine((given) => Object.values(given).filter((value) => value !== undefined).length <= 1, {
    message: 'must have exactly one of apiKeyId, userId and all',
  });

export const endSessions = defineActivity({
  name: 'endSessions',
  path: 'end_sessions',
  subject: 'sign-in',
  summary: 'End one session, all sessions of a user, or all of the organization',
  policy: { resource: 'AUTH', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_END_SESSIONS',
  spec: 'none',
  params,
  intent: params,
  result: z.object({
    apiKeyIds: z.array(z.string()).describe('The deleted keys, including those of sessions that were opened with one of them'),
    readOnlySessions: z.number().describe('The number of read-only sessions that ended'),
  }),
});
