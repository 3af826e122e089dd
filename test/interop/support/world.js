import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { generateP256KeyPair } from '@turnkey/crypto';
import { TurnkeyClient } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { startChain } from './dev-chain.js';
import { startIssuer } from './issuer.js';
import { startMailServer } from './mail-server.js';
import { startSolanaChain } from './solana-chain.js';
import { startServer } from './start-server.js';

export const ethereumAccount = {
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
};

let names = 0;

/** A unique name. */
export const nameFor = (what) => `${what} ${++names}`;

/** A client with a key in an organization, configured as an application would: one URL differs. */
export function connect(server, organizationId, { publicKey, privateKey }, apiBaseUrl = server.compatibleUrl) {
  return new Turnkey({
    apiBaseUrl,
    apiPublicKey: publicKey,
    apiPrivateKey: privateKey,
    defaultOrganizationId: organizationId,
    activityPoller: { intervalMs: 50, numRetries: 1 },
  }).apiClient();
}

/** The key of the first user. */
export const rootKey = ({ credentials }) => ({ publicKey: credentials.apiPublicKey, privateKey: credentials.apiPrivateKey });

/** Like `connect`, with the lower-level client, which neither polls nor has an organization. */
export function connectHttp(server, { publicKey, privateKey } = rootKey(server)) {
  return new TurnkeyClient(
    { baseUrl: server.compatibleUrl },
    new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey }),
  );
}

/** A server with all servers that it connects to, and its first user. */
export async function openWorld() {
  const [issuer, mail, chain, solana] = await Promise.all([startIssuer(), startMailServer(), startChain(1), startSolanaChain()]);
  const server = await startServer({
    flags: [
      ...['--oidc-issuers', issuer.trust, '--oauth2-providers', issuer.oauth2, '--webhook-networks', '127.0.0.0/8'],
      ...[
        '--chain-endpoints',
        JSON.stringify({ 'eip155:1': [chain.url], [solana.chain]: [solana.url] }),
        '--chain-networks',
        '127.0.0.0/8',
      ],
    ],
    env: mail.env,
  });
  const { organizationId, userId } = server.credentials;
  const client = connect(server, organizationId, rootKey(server));
  const serviceKeys = await (await fetch(`${server.url}/.well-known/countersign-keys`)).json();
  return {
    server,
    issuer,
    mail,
    chain,
    solana,
    client,
    organizationId,
    userId,
    serviceKeys,
    async close() {
      await server.stop();
      issuer.close();
      await mail.close();
      await chain.stop();
      await solana.stop();
    },
  };
}

/** The parameters of an API key that a client made. */
export const apiKeyFor = ({ publicKey }) => ({ apiKeyName: nameFor('key'), publicKey, curveType: 'API_KEY_CURVE_P256' });

/** A user with only the given credentials. */
export async function newUser({ client }, own = {}) {
  const user = { userName: nameFor('user'), apiKeys: [], authenticators: [], oauthProviders: [], userTags: [], ...own };
  const { userIds } = await client.createUsers({ users: [user] });
  return userIds[0];
}

export async function newWallet({ client }) {
  return client.createWallet({ walletName: nameFor('wallet'), accounts: [ethereumAccount] });
}

export async function newPrivateKey({ client }, own = {}) {
  const key = {
    privateKeyName: nameFor('private key'),
    curve: 'CURVE_SECP256K1',
    addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
    privateKeyTags: [],
    ...own,
  };
  const { privateKeys } = await client.createPrivateKeys({ privateKeys: [key] });
  return privateKeys[0];
}

/** A sub-organization of users with a key and a client each. `threshold` of them must approve. */
export async function newSubOrganization({ server, client }, { people = 1, threshold = 1, user = {} } = {}) {
  const keys = Array.from({ length: people }, () => generateP256KeyPair());
  const made = await client.createSubOrganization({
    subOrganizationName: nameFor('sub-organization'),
    rootQuorumThreshold: threshold,
    rootUsers: keys.map((key) => ({
      userName: nameFor('root'),
      apiKeys: [apiKeyFor(key)],
      authenticators: [],
      oauthProviders: [],
      ...user,
    })),
    wallet: { walletName: 'first', accounts: [ethereumAccount] },
  });
  return {
    id: made.subOrganizationId,
    made,
    userIds: made.rootUserIds,
    address: made.wallet.addresses[0],
    keys,
    clients: keys.map((key) => connect(server, made.subOrganizationId, key)),
  };
}
