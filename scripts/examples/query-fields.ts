import type { Queries } from '@countersign/contract';
import { passkeyParams } from '../../test/features/catalogue/support/passkeys.ts';
import { plantOauthProvider } from '../../test/features/catalogue/support/plant.ts';
import { buildWorld, type World } from '../../test/support/activity-cases.ts';
import { queryCases } from '../../test/support/query-cases.ts';
import type { TestService } from '../../test/support/service.ts';
import { createSubOrganization, uniqueName } from '../../test/support/world.ts';

/** Creates one object of every kind. Returns them, and the fields of every query that shows one. */
export async function prepareQueries(
  service: TestService,
): Promise<{ world: World; fields: Partial<Record<keyof Queries, object>> }> {
  const { root } = service;
  const world = await buildWorld(root);
  const { userId, apiKeyId, privateKeyId } = world;
  const passkeys = { userId, authenticators: [passkeyParams()] };
  const { authenticatorIds } = await root.result('createAuthenticators', passkeys);
  await plantOauthProvider(service, root.organizationId, userId);
  await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [userId] });
  await root.result('createPrivateKeyTag', { privateKeyTagName: uniqueName('Tag'), privateKeyIds: [privateKeyId] });
  await createSubOrganization(root);
  const profile = { sessionProfileName: uniqueName('Profile'), scope: "activity.action == 'SIGN'" };
  const { sessionProfileId } = await root.result('createSessionProfile', profile);
  await root.result('updateAuthProxyConfig', {
    allowedOrigins: ['https://app.example.com'],
    allowedAuthMethods: ['email', 'passkey'],
  });
  await root.result('setIpAllowlist', { rules: [{ cidr: '127.0.0.0/8', label: 'This machine' }] });
  // The proof of the last activity waits for its checkpoint, so that no later answer shows an earlier one.
  const { activities } = await root.data('listActivities', { paginationOptions: { limit: '1' } });
  await root.data('getLogProof', { activityId: activities[0].id });
  const shared = Object.entries(queryCases).map(([name, { fields }]) => [name, fields(world)]);
  return {
    world,
    fields: {
      ...Object.fromEntries(shared),
      getUser: { userId },
      listUsers: {},
      listUserTags: {},
      getApiKey: { apiKeyId },
      getApiKeys: { userId },
      getAuthenticator: { authenticatorId: authenticatorIds[0] },
      getAuthenticators: { userId },
      getOauthProviders: { userId },
      listPrivateKeyTags: {},
      getOrganization: {},
      getIpAllowlist: {},
      getAuthProxyConfig: {},
      getSessionProfile: { sessionProfileId },
      getSessionProfiles: {},
      getNonces: { address: world.address, caip2: 'eip155:1', nonce: true },
      getWalletAddressBalances: { address: world.address, caip2: 'eip155:1' },
      listAddressTransactions: { address: world.address, caip2: 'eip155:1', limit: '1' },
      listSupportedAssets: { caip2: 'eip155:1' },
      getFeeSuggestion: { caip2: 'eip155:1' },
    },
  };
}
