import type { PolicyUser } from '@countersign/policy';
import { z } from 'zod';

/** A user as people write one in files. */
export const userShape = z.strictObject({
  id: z.string(),
  tags: z.array(z.string()).default([]),
  email: z.string().optional(),
  alias: z.string().optional(),
  credentialType: z.string().default('CREDENTIAL_TYPE_API_KEY_P256'),
});

export const rootQuorumShape = z.strictObject({ threshold: z.int().min(1), userIds: z.array(z.string()) });

/** What a file without a root quorum means: nobody is one. */
export const noRootQuorum = { threshold: 1, userIds: [] };

/** The user as policies see one, with one credential. */
export function toUser({ id, tags, email, alias, credentialType }: z.output<typeof userShape>): PolicyUser {
  return {
    id,
    tags,
    email,
    alias: alias ?? id,
    credentials: [{ id: `credential of ${id}`, userId: id, type: credentialType, publicKey: '' }],
  };
}
