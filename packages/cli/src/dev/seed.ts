import { ApiKeyStamper, type Client, completed, createClient, generateApiKey } from '@countersign/client';
import { relayCondition, setupLink } from '@countersign/contract';
import { parseAccount } from '../parse-account.ts';
import { writeSecretFile } from '../profiles.ts';
import { EXAMPLE_RECEIVER } from './payment.ts';

/** One of the two people of the treasury. */
export interface Person {
  readonly name: string;
  readonly userId: string;
  readonly apiPublicKey: string;
  readonly email: string;
  /** File with the person's credentials. */
  readonly file: string;
  /** Link that opens the console as this person, once: it registers a passkey. */
  readonly consoleLink: string;
}

/** Where the people find the service and its console. */
export interface DevAddress {
  readonly baseUrl: string;
  readonly consoleUrl: string;
}

export interface Treasury {
  readonly people: readonly Person[];
  readonly walletName: string;
  readonly address: string;
}

const names = ['Ann', 'Ben'] as const;
export const TREASURY = 'Treasury';

/**
 * A treasury for two people: a wallet, its policies, a key for each person, and sign-in with a code by email. `fileOf` returns the file for
 * a person's key.
 */
export async function seedTreasury(
  root: Client,
  { baseUrl, consoleUrl }: DevAddress,
  fileOf: (name: string) => string,
): Promise<Treasury> {
  const keys = names.map((name) => ({ name, email: `${name.toLowerCase()}@example.com`, ...generateApiKey() }));
  const users = keys.map(({ name, email, apiPublicKey: publicKey, curveType }) => ({
    userName: name,
    userEmail: email,
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
  await allowEmailSignIn(root);
  const people: Person[] = [];
  for (const [index, { name, email, apiPublicKey, apiPrivateKey }] of keys.entries()) {
    const { organizationId } = root;
    const file = fileOf(name.toLowerCase());
    writeSecretFile(file, { organizationId, apiPublicKey, apiPrivateKey, baseUrl });
    const userId = userIds[index] ?? '';
    const { apiPublicKey: publicKey, apiPrivateKey: token } = generateApiKey();
    completed(await root.createSetupKey({ userId, publicKey }));
    people.push({
      name,
      email,
      userId,
      apiPublicKey,
      file,
      consoleLink: setupLink(consoleUrl, { organizationId, userId, token }),
    });
  }
  return { people, walletName: TREASURY, address: wallet.addresses[0] ?? '' };
}

/** Lets the people of the organization sign in with a code by email, as the switch in the console's settings does. */
async function allowEmailSignIn(root: Client): Promise<void> {
  const { publicKey } = await root.getSignInKey();
  const apiKeys = [{ apiKeyName: 'Sign-in key', publicKey, curveType: 'API_KEY_CURVE_P256' as const }];
  const user = { userName: 'Sign-in', apiKeys, authenticators: [], oauthProviders: [], userTags: [] };
  const { userIds } = completed(await root.createUsers({ users: [user] }));
  const consensus = `approvers.any(user, user.id == '${userIds[0]}')`;
  await root.createPolicy({ policyName: 'Sign-in by email', effect: 'EFFECT_ALLOW', condition: relayCondition, consensus });
}

/** A client for saved credentials. */
export function clientOf(
  saved: { organizationId: string; apiPublicKey: string; apiPrivateKey: string },
  baseUrl: string,
): Client {
  return createClient({ baseUrl, organizationId: saved.organizationId, stamper: new ApiKeyStamper(saved) });
}
