import { mfaPolicyParams, pushSubscriptionParams } from '../../../support/activity-params.ts';
import { newApiKey } from '../../../support/api-key.ts';
import { apiKeyParams, createMember, madeUpId } from '../../../support/world.ts';
import { createApiOnlyUser, hashOf, newToken } from '../../json-rpc/support.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';
import { forgedPasskeyParams, longPasskeyParams, passkeyParams } from '../support/passkeys.ts';
import { plantOauthProvider } from '../support/plant.ts';

/** A user of the organization and an MFA policy of that user. */
async function withMfaPolicy({ root }: Stage) {
  const { userId } = await createMember(root);
  const { mfaPolicyId } = await root.result('createMfaPolicy', mfaPolicyParams(userId));
  return { userId, mfaPolicyId };
}

const oauth2Client = { provider: 'OAUTH2_PROVIDER_X', clientId: 'client', encryptedClientSecret: '00' };

export const credentialCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_MFA_POLICY: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      return { params: mfaPolicyParams(userId) };
    },
    refused: () => ({ params: mfaPolicyParams(madeUpId()), code: 'NOT_FOUND', fields: ['userId'] }),
  },
  ACTIVITY_TYPE_UPDATE_MFA_POLICY: {
    async succeeds(stage) {
      return { params: { ...(await withMfaPolicy(stage)), condition: "activity.action == 'EXPORT'", order: 1 } };
    },
    refused: ({ rootUserId: userId }) => ({
      params: { userId, mfaPolicyId: madeUpId() },
      code: 'NOT_FOUND',
      fields: ['mfaPolicyId'],
    }),
  },
  ACTIVITY_TYPE_DELETE_MFA_POLICY: {
    async succeeds(stage) {
      return { params: await withMfaPolicy(stage) };
    },
    refused: ({ rootUserId: userId }) => ({
      params: { userId, mfaPolicyId: madeUpId() },
      code: 'NOT_FOUND',
      fields: ['mfaPolicyId'],
    }),
  },
  ACTIVITY_TYPE_CREATE_PUSH_SUBSCRIPTION: {
    succeeds: () => ({ params: pushSubscriptionParams() }),
    refused: () => ({
      params: { ...pushSubscriptionParams(), endpoint: 'https://169.254.169.254/' },
      code: 'REQUEST_INVALID',
      fields: ['endpoint'],
    }),
  },
  ACTIVITY_TYPE_DELETE_PUSH_SUBSCRIPTION: {
    async succeeds({ root }) {
      const { pushSubscriptionId } = await root.result('createPushSubscription', pushSubscriptionParams());
      return { params: { pushSubscriptionId } };
    },
    refused: () => ({ params: { pushSubscriptionId: madeUpId() }, code: 'NOT_FOUND', fields: ['pushSubscriptionId'] }),
  },
  ACTIVITY_TYPE_CREATE_API_KEYS: {
    succeeds: ({ rootUserId: userId }) => ({
      params: { userId, apiKeys: [{ apiKeyName: 'Old form', publicKey: newApiKey().publicKey, expirationSeconds: '60' }] },
    }),
    refused: ({ rootUserId: userId }) => ({
      params: { userId, apiKeys: [{ apiKeyName: 'Off the curve', publicKey: `02${'ff'.repeat(32)}` }] },
      code: 'REQUEST_INVALID',
      fields: ['apiKeys.0.publicKey'],
    }),
  },
  ACTIVITY_TYPE_CREATE_API_KEYS_V2: {
    succeeds: ({ rootUserId: userId }) => ({
      params: { userId, apiKeys: [apiKeyParams(newApiKey('SIGNATURE_SCHEME_TK_API_ED25519'), { expirationSeconds: '60' })] },
    }),
    refused: () => ({
      params: { userId: madeUpId(), apiKeys: [apiKeyParams(newApiKey())] },
      code: 'NOT_FOUND',
      fields: ['userId'],
    }),
  },
  ACTIVITY_TYPE_CREATE_RPC_KEYS: {
    async succeeds({ root }) {
      const userId = await createApiOnlyUser(root);
      const identifier = hashOf(newToken(root));
      return {
        params: { userId, rpcKeys: [{ apiKeyName: 'Token', proof: 'RPC_PROOF_TOKEN', identifier, expirationSeconds: '60' }] },
      };
    },
    refused: ({ rootUserId: userId, root }) => ({
      params: {
        userId,
        rpcKeys: [{ apiKeyName: 'Token', proof: 'RPC_PROOF_TOKEN', identifier: hashOf(newToken(root)), expirationSeconds: '60' }],
      },
      code: 'PRECONDITION_FAILED',
      fields: ['userId'],
    }),
  },
  ACTIVITY_TYPE_DELETE_API_KEYS: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      const { apiKeyIds } = await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] });
      return { params: { userId, apiKeyIds } };
    },
    refused: ({ rootUserId: userId }) => ({
      params: { userId, apiKeyIds: [madeUpId()] },
      code: 'NOT_FOUND',
      fields: ['apiKeyIds.0'],
    }),
  },
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS: {
    succeeds: ({ rootUserId: userId }) => ({ params: { authenticators: [longPasskeyParams(userId)], userId } }),
    refused: ({ rootUserId: userId }) => ({
      params: { authenticators: [longPasskeyParams(madeUpId())], userId },
      code: 'REQUEST_INVALID',
      fields: ['authenticators'],
    }),
  },
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2: {
    succeeds: ({ rootUserId: userId }) => ({ params: { authenticators: [passkeyParams(), passkeyParams()], userId } }),
    refused: ({ rootUserId: userId }) => ({
      params: { authenticators: [passkeyParams(), forgedPasskeyParams()], userId },
      code: 'INVALID_ATTESTATION',
      fields: ['authenticators.1.attestation'],
    }),
  },
  ACTIVITY_TYPE_CREATE_SETUP_KEY: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      return { params: { userId, publicKey: newApiKey().publicKey } };
    },
    refused: ({ rootUserId: userId }) => ({
      params: { userId, publicKey: `02${'ff'.repeat(32)}` },
      code: 'REQUEST_INVALID',
      fields: ['publicKey'],
    }),
  },
  ACTIVITY_TYPE_EXCHANGE_ONE_TIME_KEY: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      const key = newApiKey();
      await root.result('createSetupKey', { userId, publicKey: key.publicKey });
      return { caller: root.with({ key }), params: { userId, publicKey: newApiKey().publicKey } };
    },
    refused: ({ rootUserId: userId }) => ({
      params: { userId, publicKey: newApiKey().publicKey },
      code: 'PRECONDITION_FAILED',
    }),
  },
  ACTIVITY_TYPE_DELETE_AUTHENTICATORS: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      const { authenticatorIds } = await root.result('createAuthenticators', { userId, authenticators: [passkeyParams()] });
      return { params: { userId, authenticatorIds } };
    },
    refused: ({ rootUserId: userId }) => ({
      params: { userId, authenticatorIds: [madeUpId()] },
      code: 'NOT_FOUND',
      fields: ['authenticatorIds.0'],
    }),
  },
  ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS: {
    never: 'no issuer is trusted before sign-in',
    refused: ({ rootUserId: userId }) => ({
      params: { userId, oauthProviders: [{ providerName: 'Nobody trusts it', oidcToken: 'bm90IGEgdG9rZW4' }] },
      code: 'NOT_OFFERED',
      fields: ['oauthProviders'],
    }),
  },
  ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL: {
    never: 'no provider is listed',
    refused: () => ({ params: oauth2Client, code: 'NOT_OFFERED', fields: ['provider'] }),
  },
  ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL: {
    never: 'no provider is listed',
    refused: () => ({
      params: { oauth2CredentialId: madeUpId(), ...oauth2Client },
      code: 'NOT_FOUND',
      fields: ['oauth2CredentialId'],
    }),
  },
  ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL: {
    never: 'no provider is listed',
    refused: () => ({ params: { oauth2CredentialId: madeUpId() }, code: 'NOT_FOUND', fields: ['oauth2CredentialId'] }),
  },
  ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS: {
    async succeeds({ root, service, rootUserId: userId }) {
      const providerId = await plantOauthProvider(service, root.organizationId, userId);
      return { params: { userId, providerIds: [providerId] } };
    },
    refused: ({ rootUserId: userId }) => ({
      params: { userId, providerIds: [madeUpId()] },
      code: 'NOT_FOUND',
      fields: ['providerIds.0'],
    }),
  },
};
