import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { planSignIn } from './identity.ts';
import { generatedKey, planSessionKey, recordSessionKey, withSessionDefaults } from './session-keys.ts';
import { readTargetKey } from './target-key.ts';

export const oauth = execute(activities.oauth, {
  locksOrganization: true,

  oidcTokens: ({ oidcToken }) => [oidcToken],

  async plan(context, given) {
    const target = readTargetKey(given.targetPublicKey, 'targetPublicKey');
    const signIn = planSignIn(context, given.oidcToken, given.targetPublicKey);
    const { userId, providerId } = signIn;
    const kind = { type: 'CREDENTIAL_TYPE_OAUTH_KEY_P256', kind: 'Oauth' } as const;
    const proof = { method: 'OAUTH', providerId } as const;
    const params = await withSessionDefaults(context, kind.kind, given, proof);
    const key = await planSessionKey(context, userId, kind, params, proof);
    return {
      intent: params,
      subject: {
        touches: [{ what: 'SESSION', userId, proven: true }],
        parameters: () => ({ expirationSeconds: key.expirationSeconds }),
      },
      prepared: { key, target, signIn },
    };
  },

  async run(context, { prepared: { key, target, signIn } }) {
    const { publicKey, credentialBundle } = await context.vault.service.issueCredential(target);
    const { apiKeyId, changes, warnings } = recordSessionKey(context, key, generatedKey(publicKey));
    return { result: { userId: key.userId, apiKeyId, credentialBundle }, changes: [...signIn.changes, ...changes], warnings };
  },
});
