import { newApiKey } from '../../../support/api-key.ts';
import {
  createMember,
  createPrivateKey,
  createWallet,
  madeUpId,
  privateKeyParams,
  subOrganizationParams,
  uniqueName,
} from '../../../support/world.ts';
import type { CatalogueCase, CatalogueCases, Stage } from '../support/catalogue-case.ts';
import { createOrganization } from '../support/organizations.ts';
import { forgedPasskeyParams, longPasskeyParams, passkeyParams } from '../support/passkeys.ts';

const oldKeys = () => [{ apiKeyName: uniqueName('Key'), publicKey: newApiKey().publicKey }];
const rootUserV1 = () => ({ userName: uniqueName('User'), apiKeys: oldKeys(), authenticators: [] });
const rootUserV3 = () => ({ ...subOrganizationParams(newApiKey()).rootUsers[0], oauthProviders: [] });
const named = () => ({ subOrganizationName: uniqueName('Customer'), rootQuorumThreshold: 1 });

const organization = (rootAuthenticator: object) => ({
  organizationName: uniqueName('Organization'),
  rootEmail: 'root@example.com',
  rootAuthenticator,
});

/** A version of create_sub_organization: it accepts `params` and refuses a threshold that cannot be met. */
function version(params: () => object): CatalogueCase {
  return {
    succeeds: ({ first }) => ({ caller: first, params: params() }),
    refused: ({ first }) => ({
      caller: first,
      params: { ...params(), rootQuorumThreshold: 2 },
      code: 'REQUEST_INVALID',
      fields: ['rootQuorumThreshold'],
    }),
  };
}

export const organizationCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION: {
    succeeds: ({ first }) => ({
      caller: first,
      params: { name: uniqueName('Customer'), rootAuthenticator: passkeyParams() },
    }),
    refused: ({ first }) => ({
      caller: first,
      params: { name: uniqueName('Customer'), rootAuthenticator: forgedPasskeyParams() },
      code: 'INVALID_ATTESTATION',
      fields: ['rootUsers.0.authenticators.0.attestation'],
    }),
  },
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: version(() => ({ ...named(), rootUsers: [rootUserV1()] })),
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: version(() => ({
    ...named(),
    rootUsers: [rootUserV1()],
    privateKeys: [privateKeyParams('CURVE_P256')],
  })),
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4: version(() => ({ ...named(), rootUsers: [rootUserV1()], disableEmailAuth: true })),
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5: version(() => ({
    ...named(),
    rootUsers: [{ ...rootUserV1(), oauthProviders: [] }],
    wallet: { walletName: uniqueName('Wallet'), accounts: [] },
  })),
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6: version(() => ({ ...named(), rootUsers: [rootUserV3()] })),
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7: version(() => subOrganizationParams(newApiKey(), { disableSmsAuth: true })),
  ACTIVITY_TYPE_CREATE_ORGANIZATION: {
    succeeds: ({ first }) => ({ caller: first, params: organization(longPasskeyParams(madeUpId())) }),
    refused: () => ({ params: organization(longPasskeyParams(madeUpId())), code: 'PRECONDITION_FAILED' }),
  },
  ACTIVITY_TYPE_CREATE_ORGANIZATION_V2: {
    succeeds: ({ first }) => ({ caller: first, params: { ...organization(passkeyParams()), rootUserId: madeUpId() } }),
    refused: ({ first }) => ({
      caller: first,
      params: organization(forgedPasskeyParams()),
      code: 'INVALID_ATTESTATION',
      fields: ['rootUser.authenticators.0.attestation'],
    }),
  },
  ACTIVITY_TYPE_DELETE_ORGANIZATION: {
    succeeds: async ({ first, service }) => {
      const caller = await createOrganization(first, service);
      return { caller, params: { organizationId: caller.organizationId } };
    },
    refused: ({ first }) => ({
      caller: first,
      params: { organizationId: first.organizationId },
      code: 'PRECONDITION_FAILED',
    }),
  },
  ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION: {
    async succeeds({ root }) {
      await createWallet(root);
      return { params: { deleteWithoutExport: true } };
    },
    async refused({ root }) {
      await createPrivateKey(root);
      return { params: {}, code: 'PRECONDITION_FAILED' };
    },
  },
  ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE: {
    succeeds: () => ({ params: { name: 'FEATURE_NAME_SESSION_SELF_SERVICE', value: '' } }),
    refused: () => ({ params: { name: 'FEATURE_NAME_SWAP_CONFIG', value: '' }, code: 'NOT_OFFERED', fields: ['name'] }),
  },
  ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE: {
    succeeds: () => ({ params: { name: 'FEATURE_NAME_EMAIL_AUTH' } }),
    refused: () => ({ params: { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS' }, code: 'NOT_FOUND', fields: ['name'] }),
  },
  ACTIVITY_TYPE_UPDATE_ALLOWED_ORIGINS: {
    succeeds: () => ({ params: { allowedOrigins: ['https://app.example.com', 'http://localhost:3000'] } }),
    refused: () => ({
      params: { allowedOrigins: ['https://app.example.com', 'https://app.example.com/'] },
      code: 'REQUEST_INVALID',
      fields: ['allowedOrigins.1'],
    }),
  },
  ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG: {
    succeeds: ({ first }) => ({
      caller: first,
      params: { allowedOrigins: ['https://app.example.com'], allowedAuthMethods: ['email'], sessionExpirationSeconds: 600 },
    }),
    refused: ({ first }) => ({
      caller: first,
      params: { allowedOrigins: ['https://app.example.com/'] },
      code: 'REQUEST_INVALID',
      fields: ['allowedOrigins.0'],
    }),
  },
  ACTIVITY_TYPE_DISABLE_AUTH_PROXY: {
    async succeeds({ first, service }) {
      const caller = await createOrganization(first, service);
      await caller.result('updateAuthProxyConfig', { allowedAuthMethods: ['email'] });
      return { caller, params: {} };
    },
    async refused({ first, service }) {
      return { caller: await createOrganization(first, service), params: {}, code: 'NOT_FOUND', fields: ['organizationId'] };
    },
  },
  ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME: {
    succeeds: () => ({ params: { organizationName: uniqueName('Renamed') } }),
    refused: () => ({ params: { organizationName: ' ' }, code: 'REQUEST_INVALID', fields: ['organizationName'] }),
  },
  ACTIVITY_TYPE_SET_IP_ALLOWLIST: {
    succeeds: async ({ first, service }) => ({
      caller: await createOrganization(first, service),
      params: { enabled: true, rules: [{ cidr: '127.0.0.0/8', label: 'This machine' }], onEvaluationError: 'DENY' },
    }),
    refused: () => ({ params: { rules: [{ cidr: '127.0.0.0/8' }] }, code: 'ACTIVITY_CALLER_INVALID' }),
  },
  ACTIVITY_TYPE_FREEZE: {
    succeeds: async ({ root }) => ({
      params: {
        walletIds: [(await createWallet(root)).walletId],
        privateKeyIds: [await createPrivateKey(root)],
        reason: 'Lost phone',
      },
    }),
    refused: () => ({ params: { userIds: [madeUpId()], reason: 'Lost phone' }, code: 'NOT_FOUND', fields: ['userIds.0'] }),
  },
  ACTIVITY_TYPE_UNFREEZE: {
    async succeeds({ root }) {
      const { userId } = await createMember(root);
      await root.result('freeze', { userIds: [userId], reason: 'Lost phone' });
      return { params: { userIds: [userId] } };
    },
    refused: () => ({ params: {}, code: 'REQUEST_INVALID', fields: ['parameters'] }),
  },
  ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST: {
    async succeeds({ first, service }) {
      const caller = await createOrganization(first, service);
      await caller.result('setIpAllowlist', { rules: [{ cidr: '127.0.0.0/8' }] });
      return { caller, params: {} };
    },
    refused: ({ first }) => ({ caller: first, params: {}, code: 'NOT_FOUND', fields: ['publicKey'] }),
  },
  ACTIVITY_TYPE_UPDATE_ROOT_QUORUM: {
    async succeeds({ root, rootUserId }) {
      const { userId } = await createMember(root);
      return { params: { threshold: 1, userIds: [rootUserId, userId] } };
    },
    refused: ({ rootUserId }: Stage) => ({
      params: { threshold: 1, userIds: [rootUserId, madeUpId()] },
      code: 'NOT_FOUND',
      fields: ['userIds.1'],
    }),
  },
};
