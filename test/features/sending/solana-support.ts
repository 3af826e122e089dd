import { base58 } from '@scure/base';
import { chainSettings } from '../../../packages/server/src/config/settings/chains.ts';
import type { Config } from '../../../packages/server/src/config/settings.ts';
import type { Caller, Json } from '../../support/caller.ts';
import type { SolanaNode } from '../../support/solana-node.ts';
import { uniqueName } from '../../support/world.ts';
import { reach } from './support.ts';

export const SOL = 1_000_000_000n;
/** An address that nobody has the key of. */
export const RECEIVER = base58.encode(new Uint8Array(32).fill(7));

const SYSTEM = '1'.repeat(32);

/** Settings of a service that sends through these nodes. */
export function solanaConfig({ chain }: SolanaNode, urls: readonly string[]): Partial<Config> {
  return {
    chainEndpoints: [{ chain, endpoints: urls.map((url) => ({ url })) }],
    chainNetworks: chainSettings.chainNetworks.schema.parse('127.0.0.0/8') as Config['chainNetworks'],
  };
}

/** A new account with 10 SOL. */
export async function fundedSolana(caller: Caller, node: SolanaNode): Promise<string> {
  const account = {
    curve: 'CURVE_ED25519',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/501'/0'/0'",
    addressFormat: 'ADDRESS_FORMAT_SOLANA',
  };
  const { addresses } = await caller.result('createWallet', { walletName: uniqueName('Solana'), accounts: [account] });
  const [address] = addresses as [string];
  node.airdrop(address, 10n * SOL);
  // An account that does not exist yet takes no amount below its rent.
  if ((await lamportsOf(node, RECEIVER)) === 0n) node.airdrop(RECEIVER, SOL);
  return address;
}

/** An unsigned transfer in hexadecimal. Without a blockhash it has zeros, and with further signers more empty signatures. */
export function transfer(from: string, lamports: bigint, { blockhash = SYSTEM, signers = [] as readonly string[] } = {}): string {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  const count = 1 + signers.length;
  const keys = [from, ...signers, RECEIVER, SYSTEM].map((key) => base58.decode(key));
  return Buffer.concat([
    Buffer.of(count),
    Buffer.alloc(64 * count),
    Buffer.of(count, 0, 1, keys.length),
    ...keys,
    base58.decode(blockhash),
    Buffer.of(1, keys.length - 1, 2, 0, count, data.length),
    data,
  ]).toString('hex');
}

/** The parameters of a payment of one SOL. */
export const solPayment = ({ chain }: SolanaNode, from: string, more: object = {}) => ({
  signWith: from,
  caip2: chain,
  unsignedTransaction: transfer(from, SOL),
  ...more,
});

/** Sends a payment, and returns the id of its status. */
export async function paySol(caller: Caller, node: SolanaNode, from: string, more: object = {}): Promise<string> {
  return (await caller.result('solSendTransaction', solPayment(node, from, more))).sendTransactionStatusId;
}

/** Adds blocks until a transaction has a state. */
export const reachSol = (caller: Caller, { ledger }: SolanaNode, id: string, state: string): Promise<Json> =>
  reach(caller, id, state, async () => ledger.advance(3));

export const lamportsOf = async (node: SolanaNode, address: string): Promise<bigint> => {
  const { value } = (await node.call('getBalance', [address])) as { value: number };
  return BigInt(value);
};
