import { createMember, madeUpId, uniqueName } from '../../../support/world.ts';
import { login } from '../../sign-in/sessions-support.ts';
import { newTarget } from '../../sign-in/transfer-support.ts';
import type { CatalogueCases } from '../support/catalogue-case.ts';

const OFF_CURVE = `04${'11'.repeat(64)}`;

export const sessionCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: {
    async succeeds({ root, rootUserId: userId }) {
      await root.result('updateUser', { userId, userEmail: 'root@example.com' });
      return { params: { targetPublicKey: newTarget().hex, email: 'root@example.com', expirationSeconds: '60' } };
    },
    refused: () => ({
      params: { targetPublicKey: newTarget().hex, email: 'nobody@example.com' },
      code: 'NOT_FOUND',
      fields: ['email'],
    }),
  },
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2: {
    succeeds: ({ rootUserId: userId }) => ({ params: { targetPublicKey: newTarget().hex, userId, invalidateExisting: true } }),
    refused: () => ({ params: { targetPublicKey: OFF_CURVE }, code: 'REQUEST_INVALID', fields: ['targetPublicKey'] }),
  },
  ACTIVITY_TYPE_CREATE_SESSION_PROFILE: {
    succeeds: ({ first }) => ({
      params: { sessionProfileName: uniqueName('Profile'), scope: "activity.action == 'SIGN'", expirationSeconds: '3600' },
      caller: first,
    }),
    refused: () => ({
      params: { sessionProfileName: uniqueName('Profile'), scope: 'true' },
      code: 'ACTIVITY_CALLER_INVALID',
    }),
  },
  ACTIVITY_TYPE_END_SESSIONS: {
    async succeeds({ root, rootUserId: userId }) {
      await login(root);
      return { params: { userId } };
    },
    refused: () => ({ params: { userId: madeUpId() }, code: 'NOT_FOUND', fields: ['userId'] }),
  },
  ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION: {
    succeeds: () => ({ params: {} }),
    async refused({ root }) {
      const { caller } = await createMember(root);
      return { params: { userId: madeUpId() }, caller, code: 'REQUEST_INVALID', fields: ['userId'] };
    },
  },
};
