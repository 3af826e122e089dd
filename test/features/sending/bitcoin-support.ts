import { text } from 'node:stream/consumers';
import { Address, NETWORK, OutScript, TEST_NETWORK, Transaction } from '@scure/btc-signer';
import { chainSettings } from '../../../packages/server/src/config/settings/chains.ts';
import type { Config } from '../../../packages/server/src/config/settings.ts';
import { serveHttp } from '../../../packages/server/test/notify/webhooks/loopback-server.ts';
import { type BitcoinLedger, NodeProblem } from '../../support/bitcoin-ledger.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { uniqueName } from '../../support/world.ts';
import { reach, statusOf } from './support.ts';

export const COIN = 100_000n;
export const FEE = 1_000n;
/** A script that nobody has the key of. */
export const RECEIVER = `0014${'77'.repeat(20)}`;
export const FORMATS = ['P2WPKH', 'P2SH', 'P2WSH', 'P2TR'] as const;

type Reply = { readonly result: Json } | { readonly error: { readonly code: number; readonly message: string } };

/** The stand-in over HTTP, in JSON-RPC 1.0 as Bitcoin Core speaks it. `lies` change responses, by method. */
export async function serveBitcoin(ledger: BitcoinLedger) {
  const lies = new Map<string, (reply: Reply, params: Json) => Reply>();
  const asked: string[] = [];
  const server = await serveHttp(async (request, response) => {
    const { id, method, params } = JSON.parse(await text(request));
    asked.push(`${method} ${JSON.stringify(params)}`);
    const reply = answerOf(ledger, method, params);
    const { result = null, error = null } = (lies.get(method)?.(reply, params) ?? reply) as Json;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ result, error, id }));
  });
  return { url: `http://127.0.0.1:${server.port}`, lies, asked, close: server.close };
}

export type BitcoinServer = Awaited<ReturnType<typeof serveBitcoin>>;

function answerOf(ledger: BitcoinLedger, method: string, params: readonly unknown[]): Reply {
  try {
    return { result: ledger.answer(method, params) as Json };
  } catch (error) {
    if (!(error instanceof NodeProblem)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}

/** Settings of a service that sends through these nodes. */
export function bitcoinConfig({ chain }: BitcoinLedger, servers: readonly BitcoinServer[]): Partial<Config> {
  return {
    chainEndpoints: [{ chain, endpoints: servers.map(({ url }) => ({ url })) }],
    chainNetworks: chainSettings.chainNetworks.schema.parse('127.0.0.0/8') as Config['chainNetworks'],
    sendConfirmations: 2,
  };
}

/** An output of an account, and its script. */
export interface OwnCoin {
  readonly txid: string;
  readonly index: number;
  readonly raw: string;
  readonly script: string;
  readonly satoshis: bigint;
}

/** An account, and how to give it coins. */
export interface BitcoinAccount {
  readonly address: string;
  readonly script: string;
  newCoin(satoshis?: bigint): OwnCoin;
}

/** A new account of a key on the test network of the stand-in. */
export async function bitcoinAccount(
  caller: Caller,
  ledger: BitcoinLedger,
  { kind = 'P2WPKH', network = 'REGTEST' }: { readonly kind?: string; readonly network?: string } = {},
): Promise<BitcoinAccount> {
  const account = {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/84'/1'/0'/0/0",
    addressFormat: `ADDRESS_FORMAT_BITCOIN_${network}_${kind}`,
  };
  const { addresses } = await caller.result('createWallet', { walletName: uniqueName('Bitcoin'), accounts: [account] });
  const [address] = addresses as [string];
  const script = scriptOf(address, network);
  return { address, script, newCoin: (satoshis = COIN) => ({ ...ledger.fund(script, satoshis), script, satoshis }) };
}

/** The locking script of an address, in hexadecimal. */
function scriptOf(address: string, network: string): string {
  const networks: Readonly<Record<string, typeof NETWORK>> = { MAINNET: NETWORK, REGTEST: { ...TEST_NETWORK, bech32: 'bcrt' } };
  const decoded = Address(networks[network] ?? TEST_NETWORK).decode(address);
  return Buffer.from(OutScript.encode(decoded)).toString('hex');
}

interface Spending {
  readonly fee?: bigint;
  readonly sequence?: number;
  readonly lockTime?: number;
  /** The amount that the PSBT says, in place of the true one. */
  readonly claim?: bigint;
  /** The whole previous transactions in place of their outputs. */
  readonly proof?: boolean;
}

/** A PSBT that pays all of these coins to the receiver, in hexadecimal. */
export function spendCoins(
  coins: readonly OwnCoin[],
  { fee = FEE, sequence, lockTime, claim, proof = false }: Spending = {},
): string {
  const transaction = new Transaction({ ...(lockTime !== undefined && { lockTime }) });
  for (const { txid, index, raw, script, satoshis } of coins)
    transaction.addInput({
      txid,
      index,
      sequence: sequence ?? 0xffff_ffff,
      ...(proof ? { nonWitnessUtxo: raw } : { witnessUtxo: { script: Buffer.from(script, 'hex'), amount: claim ?? satoshis } }),
    });
  const sum = coins.reduce((total, { satoshis }) => total + satoshis, 0n);
  transaction.addOutput({ script: Buffer.from(RECEIVER, 'hex'), amount: sum - fee });
  return Buffer.from(transaction.toPSBT(0)).toString('hex');
}

/** The parameters of a payment with a new coin. */
export function bitcoinPayment(
  { chain }: BitcoinLedger,
  account: BitcoinAccount,
  unsignedTransaction = spendCoins([account.newCoin()]),
) {
  return { signWith: account.address, caip2: chain, unsignedTransaction };
}

/** Sends a payment, and returns the id of its status. */
export async function payBitcoin(
  caller: Caller,
  ledger: BitcoinLedger,
  account: BitcoinAccount,
  unsigned?: string,
): Promise<string> {
  return (await caller.result('bitcoinSendTransaction', bitcoinPayment(ledger, account, unsigned))).sendTransactionStatusId;
}

/** Waits until a transaction is in the pool, and adds a block. */
export async function includeBitcoin(caller: Caller, ledger: BitcoinLedger, id: string): Promise<Json> {
  const { txId } = (await statusOf(caller, id)).bitcoin;
  return reach(caller, id, 'INCLUDED', async () => {
    if (ledger.isWaiting(txId)) ledger.mine(1);
  });
}

/** Adds blocks until a transaction has a state. */
export const reachBitcoin = (caller: Caller, ledger: BitcoinLedger, id: string, state: string): Promise<Json> =>
  reach(caller, id, state, async () => ledger.mine(1));
