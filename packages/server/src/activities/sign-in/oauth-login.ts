import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notRenewed, requireNoRootSession } from './by-sign-in-key.ts';
import { planSignIn } from './identity.ts';
import { planLogin, recordLogin } from './login.ts';

export const oauthLogin = execute(activities.oauthLogin, {
  locksOrganization: true,

  oidcTokens: ({ oidcToken }) => [oidcToken],

  async plan(context, params) {
    const signIn = planSignIn(context, params.oidcToken, params.publicKey);
    const { userId, providerId } = signIn;
    const login = await planLogin(context, userId, params, { method: 'OAUTH', providerId });
    return {
      intent: params,
      subject: {
        touches: [{ what: 'SESSION', userId, proven: true }],
        parameters: () => ({ expirationSeconds: login.key.expirationSeconds }),
      },
      prepared: { login, signIn },
    };
  },

  async run(context, { intent: { expirationSeconds }, prepared: { login, signIn } }) {
    requireNoRootSession(context, signIn.userId);
    const { session, changes, warnings } = await recordLogin(context, notRenewed(context, login, expirationSeconds));
    return { result: { session }, changes: [...signIn.changes, ...changes], warnings };
  },
});
