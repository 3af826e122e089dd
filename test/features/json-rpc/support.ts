import { createHash, randomBytes } from 'node:crypto';
import { rpcTokenOf } from '@countersign/contract';
import { type Answer, type Caller, type Json, post } from '../../support/caller.ts';
import { ethereumAccount, uniqueName } from '../../support/world.ts';

export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
export const newToken = ({ organizationId }: Pick<Caller, 'organizationId'>) =>
  rpcTokenOf(organizationId, randomBytes(32).toString('hex'));

/** An API-only user with a token, a wallet, and a policy that lets the user sign with it. */
export interface Signer {
  readonly organizationId: string;
  readonly userId: string;
  readonly token: string;
  readonly apiKeyId: string;
  readonly walletId: string;
  readonly addresses: readonly string[];
}

export interface SignerChoice {
  /** The end of the policy's condition. */
  readonly condition?: string;
  readonly consensus?: (userId: string) => string;
  readonly expirationSeconds?: string;
}

export async function createApiOnlyUser(root: Caller): Promise<string> {
  const apiOnlyUsers = [{ userName: uniqueName('Bot'), userTags: [], apiKeys: [] }];
  return (await root.result('createApiOnlyUsers', { apiOnlyUsers })).userIds[0];
}

export async function createToken(root: Caller, userId: string, expirationSeconds = '86400') {
  const token = newToken(root);
  const rpcKeys = [{ apiKeyName: uniqueName('Token'), proof: 'RPC_PROOF_TOKEN', identifier: hashOf(token), expirationSeconds }];
  const { rpcKeys: made } = await root.result('createRpcKeys', { userId, rpcKeys });
  return { token, apiKeyId: made[0].apiKeyId as string, publicKey: made[0].publicKey as string };
}

export async function createSigner(root: Caller, choice: SignerChoice = {}): Promise<Signer> {
  const userId = await createApiOnlyUser(root);
  const { walletId, addresses } = await root.result('createWallet', {
    walletName: uniqueName('Wallet'),
    accounts: [ethereumAccount(0), ethereumAccount(1)],
  });
  const { consensus = (id) => `approvers.any(user, user.id == '${id}')`, condition = '' } = choice;
  await root.result('createPolicy', {
    policyName: uniqueName('Signer'),
    effect: 'EFFECT_ALLOW',
    condition: `activity.action == 'SIGN' && wallet.id == '${walletId}'${condition}`,
    consensus: consensus(userId),
    notes: '',
  });
  const { token, apiKeyId } = await createToken(root, userId, choice.expirationSeconds);
  return { organizationId: root.organizationId, userId, token, apiKeyId, walletId, addresses };
}

let ids = 0;

export const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: ++ids, method, params });

/** Posts to the endpoint, as a tool does. */
export function send(
  url: string,
  path: string,
  body: unknown,
  token: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
  return post(`${url}/rpc/${path}`, bytes, { ...authorization, ...headers });
}

/** Calls a method at a signer's wallet. */
export async function rpc(url: string, { token, walletId }: Signer, method: string, ...params: unknown[]): Promise<Json> {
  return (await send(url, walletId, call(method, ...params), token)).body;
}

export const transfer = (from: string, more: object = {}) => ({
  from,
  to: '0x00000000000000000000000000000000000000aa',
  value: '0xde0b6b3a7640000',
  gas: '0x5208',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x3b9aca00',
  nonce: '0x0',
  chainId: '0x1',
  ...more,
});
