import { createHash, randomBytes } from 'node:crypto';
import { ApiKeyStamper, completed, createClient } from '../../../packages/client/dist/index.js';
import { rpcTokenOf } from '../../../packages/contract/dist/index.js';
import { startServer } from '../../interop/support/start-server.js';

/**
 * A real server with a wallet, and a token of an API-only user who may sign with it.
 * @param {number} chainId
 * @param {string | undefined} nodeUrl a node of the chain
 */
export async function startSigner(chainId, nodeUrl) {
  const endpoints = JSON.stringify({ [`eip155:${chainId}`]: [nodeUrl] });
  const nodes = nodeUrl === undefined ? [] : ['--chain-endpoints', endpoints, '--chain-networks', '127.0.0.0/8'];
  const server = await startServer({ flags: ['--rpc-approval-seconds', '0', ...nodes] });
  try {
    return await setUp(server, chainId);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function setUp(server, chainId) {
  const { organizationId, apiPublicKey, apiPrivateKey } = server.credentials;
  const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
  const root = createClient({ baseUrl: server.url, organizationId, stamper });
  const done = async (submitted) => completed(await submitted);
  const account = (index) => ({
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: `m/44'/60'/0'/0/${index}`,
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  });
  const { walletId, addresses } = await done(root.createWallet({ walletName: 'Deployer', accounts: [account(0)] }));
  const apiOnlyUsers = [{ userName: 'Tool', userTags: [], apiKeys: [] }];
  const { userIds } = await done(root.createApiOnlyUsers({ apiOnlyUsers }));
  const token = rpcTokenOf(organizationId, randomBytes(32).toString('hex'));
  const identifier = createHash('sha256').update(token).digest('hex');
  const rpcKeys = [{ apiKeyName: 'Token', proof: 'RPC_PROOF_TOKEN', identifier, expirationSeconds: '3600' }];
  await done(root.createRpcKeys({ userId: userIds[0], rpcKeys }));
  await done(
    root.createPolicy({
      policyName: 'The tool signs with its wallet',
      effect: 'EFFECT_ALLOW',
      condition: `activity.action == 'SIGN' && wallet.id == '${walletId}'`,
      consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
      notes: '',
    }),
  );
  return { url: `${server.url}/rpc/${walletId}/${chainId}`, token, address: addresses[0], stop: server.stop };
}
