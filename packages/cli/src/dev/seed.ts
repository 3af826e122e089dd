import { ApiKeyStamper, type Client, completed, createClient, generateApiKey } from '@countersign/client';
import { parseAccount } from '../parse-account.ts';
import { writeSecretFile } from '../profiles.ts';
import { EXAMPLE_RECEIVER } from './payment.ts';

/** One of the two people of the treasury. */
export interface Person {
  readonly name: string;
  readonly userId: string;
  readonly apiPublicKey: string;
  /** File with the person's credentials. */
  readonly file: string;
}

export interface Treasury {
  readonly people: readonly Person[];
  readonly walletName: string;
  readonly address: string;
}

const names = ['Ann', 'Ben'] as const;
export const TREASURY = 'Treasury';

/** A treasury for two people: a wallet, its policies, and a key for each person. `fileOf` returns the file for a person's key. */
export async function seedTreasury(root: Client, baseUrl: string, fileOf: (name: string) => string): Promise<Treasury> {
  const keys = names.map((name) => ({ name, ...generateApiKey() }));
  const users = keys.map(({ name, apiPublicKey: publicKey, curveType }) => ({
    userName: name,
    apiKeys: [{ apiKeyName: 'dev', publicKey, curveType }],
    authenticators: [],
    oauthProviders: [],
    userTags: [],
  }));
  const { userIds } = completed(await root.createUsers({ users }));
  const { userTagId } = completed(await root.createUserTag({ userTagName: 'Treasurers', userIds }));
  const accounts = ['ethereum', 'solana', 'bitcoin p2wpkh testnet 0'].map(parseAccount);
  const wallet = completed(await root.createWallet({ walletName: TREASURY, accounts }));
  await root.createContacts({
    contacts: [{ label: 'Acme', address: EXAMPLE_RECEIVER, contactTags: ['vendors'] }],
  });
  const pays = `wallet.id == '${wallet.walletId}' && tx.is_payment`;
  const treasurers = `approvers.filter(user, user.tags.contains('${userTagId}')).count()`;
  await root.createPolicies({
    policies: [
      {
        policyName: 'A treasurer pays small amounts',
        effect: 'EFFECT_ALLOW',
        // Without data, only the coin of the chain moves.
        condition: `${pays} && eth.tx.data == '0x' && eth.tx.max_cost <= 0.1 ETH`,
        consensus: `${treasurers} >= 1`,
      },
      { policyName: 'Two treasurers pay any amount', effect: 'EFFECT_ALLOW', condition: pays, consensus: `${treasurers} >= 2` },
    ],
  });
  const people = keys.map(({ name, apiPublicKey, apiPrivateKey }, index) => {
    const file = fileOf(name.toLowerCase());
    writeSecretFile(file, { organizationId: root.organizationId, apiPublicKey, apiPrivateKey, baseUrl });
    return { name, userId: userIds[index] ?? '', apiPublicKey, file };
  });
  return { people, walletName: TREASURY, address: wallet.addresses[0] ?? '' };
}

/** A client for saved credentials. */
export function clientOf(
  saved: { organizationId: string; apiPublicKey: string; apiPrivateKey: string },
  baseUrl: string,
): Client {
  return createClient({ baseUrl, organizationId: saved.organizationId, stamper: new ApiKeyStamper(saved) });
}
