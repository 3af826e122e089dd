import { base58 } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller, Json } from '../../support/caller.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../../support/solana-node.ts';
import { errorOf, uniqueName } from '../../support/world.ts';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SYSTEM = new Uint8Array(32);

let node: SolanaNode;
let installation: Installation;
let service: TestService;
let root: Caller;

beforeAll(async () => {
  node = await startSolanaNode();
  installation = await preparedEngines.sqlite();
  const chainEndpoints = [{ chain: node.chain, endpoints: [{ url: node.url }] }];
  service = await startService(installation, { config: { chainEndpoints, chainNetworks: ['127.0.0.0/8'] } });
  root = service.root;
});
afterAll(async () => {
  await service?.close();
  await installation?.remove();
  await node?.close();
});

async function newAddress(): Promise<string> {
  const account = {
    curve: 'CURVE_ED25519',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/501'/0'/0'",
    addressFormat: 'ADDRESS_FORMAT_SOLANA',
  };
  return (await root.result('createWallet', { walletName: uniqueName('Solana'), accounts: [account] })).addresses[0];
}

/** An unsigned transfer of lamports, with an empty signature. */
function transfer(from: string, to: string, lamports: bigint): Buffer {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  const keys = [base58.decode(from), base58.decode(to), SYSTEM, base58.decode(node.latestBlockhash())];
  return Buffer.concat([
    Buffer.of(1),
    Buffer.alloc(64),
    Buffer.of(1, 0, 1, 3),
    ...keys,
    Buffer.of(1, 2, 2, 0, 1, data.length),
    data,
  ]);
}

const balancesOf = async (address: string): Promise<Json[]> =>
  (await root.data('getWalletAddressBalances', { address, caip2: 'solana:mainnet' })).balances;

test('balances follow a transfer that the service signed and the runtime executed', async () => {
  const [from, to] = [await newAddress(), await newAddress()];
  node.airdrop(from, 5_000_000_000n);
  const unsignedTransaction = transfer(from, to, 2_000_000_000n).toString('hex');
  const params = { signWith: from, unsignedTransaction, type: 'TRANSACTION_TYPE_SOLANA' };
  const { signedTransaction } = await root.result('signTransaction', params);
  node.send(Buffer.from(signedTransaction, 'hex'));
  expect(await balancesOf(to)).toEqual([
    { caip19: `${node.chain}/slip44:501`, symbol: 'SOL', decimals: 9, balance: '2000000000', display: { crypto: '2' } },
  ]);
  expect(await balancesOf(from)).toMatchObject([{ balance: '2999995000' }]);
  // The runtime takes it once only.
  expect(() => node.send(Buffer.from(signedTransaction, 'hex'))).toThrow('the runtime rejects');
});

test('the accounts of a listed token are added, and others are not shown', async () => {
  const owner = await newAddress();
  const account = (fill: number) => base58.encode(new Uint8Array(32).fill(fill));
  node.putTokens(account(1), { mint: USDC, owner, amount: 1_000_000n });
  node.putTokens(account(2), { mint: USDC, owner, amount: 500_000n });
  node.putTokens(account(3), { mint: account(9), owner, amount: 7n });
  node.putTokens(account(4), { mint: USDC, owner: await newAddress(), amount: 9n });
  expect((await balancesOf(owner)).slice(1)).toEqual([
    {
      caip19: `${node.chain}/token:${USDC}`,
      symbol: 'USDC',
      decimals: 6,
      balance: '1500000',
      display: { crypto: '1.5' },
      tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    },
  ]);
});

test('the names of published clients for the network', async () => {
  const caip2 = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
  const { suggestions } = await root.data('getFeeSuggestion', { caip2 });
  expect(suggestions).toMatchObject([{ speed: 'SLOW', computeUnitPrice: '0' }, {}, {}]);
  expect(errorOf(await root.query('getFeeSuggestion', { caip2: 'solana:devnet' }))).toEqual({ status: 501, code: 'NOT_OFFERED' });
});

test('D765: an address of another chain is not one of the account', async () => {
  const address = await newAddress();
  const nonce = { address, caip2: 'solana:mainnet', nonce: true };
  expect(errorOf(await root.query('getNonces', nonce))).toMatchObject({ status: 400, fields: ['caip2'] });
  const answer = await root.query('getWalletAddressBalances', {
    address: base58.encode(new Uint8Array(32).fill(5)),
    caip2: 'solana:mainnet',
  });
  expect(errorOf(answer)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['address'] });
});
