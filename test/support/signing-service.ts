import { ApiKeyStamper, type Client, completed, createClient, generateApiKey } from '@countersign/client';
import { engines } from './installation.ts';
import { startService } from './service.ts';

type Account = Parameters<Client['createWallet']>[0]['accounts'][number];

/** A service with one wallet, for tests of adapters to other libraries. */
export async function startSigningService(...accounts: readonly Omit<Account, 'pathFormat'>[]) {
  const installation = await engines.sqlite();
  const service = await startService(installation);
  const { organizationId } = service.first;
  const clientFor = (key: { readonly apiPublicKey: string; readonly apiPrivateKey: string }) =>
    createClient({ baseUrl: service.url, organizationId, stamper: new ApiKeyStamper(key), dialect: 'turnkey' });
  const root = clientFor(service.first);
  const params = accounts.map((account) => ({ ...account, pathFormat: 'PATH_FORMAT_BIP32' as const }));
  const { walletId, addresses } = completed(await root.createWallet({ walletName: 'Adapters', accounts: params }));
  const newUser = async (userName: string) => {
    const { curveType, ...key } = generateApiKey();
    const apiKeys = [{ apiKeyName: 'Key', publicKey: key.apiPublicKey, curveType }];
    const users = [{ userName, apiKeys, authenticators: [], oauthProviders: [], userTags: [] }];
    const [userId] = completed(await root.createUsers({ users })).userIds;
    return { userId, client: clientFor(key) };
  };
  return {
    client: root,
    walletId,
    addresses,
    /** A user whose signatures need the approval of the root user. */
    async clerk() {
      const { userId, client } = await newUser('Clerk');
      await root.createPolicy({
        policyName: 'Two for a signature',
        effect: 'EFFECT_ALLOW',
        condition: `wallet.id == '${walletId}'`,
        consensus: `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`,
      });
      return client;
    },
    /**
     * A user who may sign everything but transactions to one address. Their keys sign nothing that hides a transaction: new organizations
     * have FEATURE_NAME_NO_BLIND_HASHES.
     */
    async guarded() {
      const { userId, client } = await newUser('Guarded');
      const consensus = `approvers.any(user, user.id == '${userId}')`;
      await root.createPolicy({ policyName: 'Sign', effect: 'EFFECT_ALLOW', condition: "activity.action == 'SIGN'", consensus });
      const condition = `activity.kind == 'SIGN_TRANSACTION' && effects.any(e, e.to == '0x${'99'.repeat(20)}')`;
      await root.createPolicy({ policyName: 'Not to this one', effect: 'EFFECT_DENY', condition });
      return client;
    },
    /** Waits for pending activities and approves them. */
    async approveNext() {
      for (;;) {
        const { activities } = await root.listActivities({ filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] });
        for (const { fingerprint } of activities) await root.approveActivity({ fingerprint });
        if (activities.length > 0) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async close() {
      await service.close();
      await installation.remove();
    },
  };
}

export const ethereumAccount = {
  curve: 'CURVE_SECP256K1',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
} as const;
