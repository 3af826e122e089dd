import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { authenticatorEcho, authenticatorParams, shortAttestation } from '../../shapes/credentials.ts';
import { id } from '../../shapes/primitives.ts';

const passkeys = <T extends z.ZodType>(item: T) =>
  z.array(item).min(1, 'must not be empty').max(100, 'must have at most 100 items');

const paramsV1 = z
  .strictObject({ authenticators: passkeys(authenticatorEcho), userId: id })
  .refine(({ authenticators, userId }) => authenticators.every((each) => each.userId === userId), {
    message: 'must name the same user as userId',
    path: ['authenticators'],
  });

export const createAuthenticators = defineActivity({
  name: 'createAuthenticators',
  path: 'create_authenticators',
  subject: 'credentials',
  summary: 'Add passkeys to a user',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2',
  spec: 'endpoint',
  params: z.strictObject({ authenticators: passkeys(authenticatorParams), userId: id }),
  intent: z.object({ authenticators: z.array(authenticatorEcho), userId: z.string() }),
  result: z.object({ authenticatorIds: z.array(z.string()) }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS',
      params: paramsV1,
      upgrade: ({ authenticators, userId }) => ({ authenticators: authenticators.map(shortAttestation), userId }),
    }),
  ],
});
