import { z } from 'zod';
import { timestamp } from './primitives.ts';

/** A session profile as queries show it. */
export const sessionProfile = z
  .object({
    sessionProfileId: z.string(),
    sessionProfileName: z.string(),
    scope: z.string(),
    expirationSeconds: z.string().optional(),
    notes: z.string().optional(),
    builtIn: z
      .literal(true)
      .optional()
      .describe('Every organization has this profile, and no activity changes it. Lists show it only if they are given whole'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'SessionProfile' });

export type SessionProfileShape = z.output<typeof sessionProfile>;
