import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { credentialBundle, targetPublicKey } from '../../shapes/bundles.ts';
import { email, flag, id, label, sessionSeconds } from '../../shapes/primitives.ts';

const base = { targetPublicKey, apiKeyName: label.optional(), expirationSeconds: sessionSeconds };

const params = z.strictObject({
  ...base,
  userId: id
    .optional()
    .register(policyMarks, { resolved: 'the id of the user whose session it is' })
    .describe('The user of the session. The caller by default'),
  invalidateExisting: flag.describe('True ends the user’s other sessions of this kind'),
});

/** The current parameters and the e-mail address of the first version. */
const input = params.extend({
  email: email.optional().register(policyMarks, { resolved: 'the e-mail address of that user, empty when there is none' }),
});

export const createReadWriteSession = defineActivity({
  name: 'createReadWriteSession',
  path: 'create_read_write_session',
  subject: 'sign-in',
  summary: 'Start a session with its own API key, encrypted to the caller',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2',
  spec: 'types',
  parentIdSuffices: true,
  params,
  input,
  intent: input,
  result: z.object({
    organizationId: z.string(),
    organizationName: z.string(),
    userId: z.string(),
    username: z.string(),
    apiKeyId: z.string(),
    credentialBundle,
  }),
  resultKey: 'createReadWriteSessionResultV2',
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION',
      params: z.strictObject({ ...base, email }),
      upgrade: (old) => old,
    }),
  ],
});
