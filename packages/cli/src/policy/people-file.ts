import type { PolicyUser } from '@countersign/policy';
import { z } from 'zod';

/** A user in a file. */
export const userShape = z.strictObject({
  id: z.string(),
  tags: z.array(z.string()).default([]),
  email: z.string().optional(),
  alias: z.string().optional(),
  credentialType: z.string().default('CREDENTIAL_TYPE_API_KEY_P256'),
});

export const rootQuorumShape = z.strictObject({ threshold: z.int().min(1), userIds: z.array(z.string()) });

/** Root quorum of a file that defines none: no members. */
export const noRootQuorum = { threshold: 1, userIds: [] };

/** Policy view of a user, with one credential. */
export function toUser({ id, tags, email, alias, credentialType }: z.output<typeof userShape>): PolicyUser {
  return {
    id,
    tags,
    email,
    alias: alias ?? id,
    credentials: [{ id: `credential of ${id}`, userId: id, type: credentialType, publicKey: '' }],
  };
}
