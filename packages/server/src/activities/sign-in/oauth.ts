import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { planSignIn } from './identity.ts';
import { planSessionKey, recordSessionKey, withSessionDefaults } from './session-keys.ts';
import { readTargetKey } from './target-key.ts';

export const oauth = execute(activities.oauth, {
  exclusive: true,

  oidcTokens: ({ oidcToken }) => [oidcToken],

  async plan(context, given) {
    const params = withSessionDefaults(given, 'Oauth', context.nowMs);
    const target = readTargetKey(params.targetPublicKey, 'targetPublicKey');
    const signIn = planSignIn(context, params.oidcToken, params.targetPublicKey);
    const { userId, providerId } = signIn;
    const kind = { type: 'CREDENTIAL_TYPE_OAUTH_KEY_P256', kind: 'Oauth' } as const;
    const key = await planSessionKey(context, userId, kind, params, { method: 'OAUTH', providerId });
    return {
      intent: params,
      subject: { touches: [{ what: 'SESSION', userId, proven: true }] },
      prepared: { key, target, signIn },
    };
  },

  async run(context, { prepared: { key, target, signIn } }) {
    const { publicKey, credentialBundle } = await context.vault.service.issueCredential(target);
    const { apiKeyId, changes } = recordSessionKey(context, key, Buffer.from(publicKey).toString('hex'));
    return { result: { userId: key.userId, apiKeyId, credentialBundle }, changes: [...signIn.changes, ...changes] };
  },
});
