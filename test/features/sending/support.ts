import { setTimeout as sleep } from 'node:timers/promises';
import { TxEnvelopeEip7702 } from 'ox';
import { chainSettings } from '../../../packages/server/src/config/settings/chains.ts';
import type { Config } from '../../../packages/server/src/config/settings.ts';
import type { Anvil } from '../../support/anvil.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { createWallet } from '../../support/world.ts';

export const CHAIN = 'eip155:31337';
export const RECEIVER = `0x${'11'.repeat(20)}`;
export const ETHER = 10n ** 18n;

type Hex = `0x${string}`;

/** Settings of a service that sends through these nodes. */
export function sendingConfig(urls: readonly string[], confirmations = 2): Partial<Config> {
  return {
    chainEndpoints: [{ chain: CHAIN, endpoints: urls.map((url) => ({ url })) }],
    chainNetworks: chainSettings.chainNetworks.schema.parse('127.0.0.0/8') as Config['chainNetworks'],
    sendConfirmations: confirmations,
  };
}

/** A new account with ether. */
export async function fundedAccount(root: Caller, anvil: Anvil, ether = 100): Promise<string> {
  const { addresses } = await createWallet(root);
  const [address] = addresses as [string];
  await anvil.fund(address, ether);
  return address;
}

/** The parameters of a payment of 1 wei. */
export const payment = (from: string, more: object = {}) => ({ from, caip2: CHAIN, to: RECEIVER, value: '1', ...more });

/** Sends a payment, and returns the id of its status. */
export async function pay(caller: Caller, from: string, more: object = {}): Promise<string> {
  const { sendTransactionStatusId } = await caller.result('ethSendTransaction', payment(from, more));
  return sendTransactionStatusId;
}

interface Sent {
  readonly sendTransactionStatusId: string;
  readonly transactionHash: string;
}

/** Lets the account obey the code at an address, with a transaction that another account pays for. */
export async function delegate(root: Caller, anvil: Anvil, from: string, address = RECEIVER): Promise<void> {
  const chainId = Number(CHAIN.slice('eip155:'.length));
  const authorization = { address: address as Hex, chainId, nonce: 0n };
  const signing = { encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', hashFunction: 'HASH_FUNCTION_NO_OP' };
  const payload = JSON.stringify({ ...authorization, nonce: '0' });
  const { r, s, v } = await root.with({ dialect: 'turnkey' }).result('signRawPayload', { signWith: from, payload, ...signing });
  const payer = await fundedAccount(root, anvil);
  const signature = { r: `0x${r}` as Hex, s: `0x${s}` as Hex, yParity: Number(v) };
  const unsignedTransaction = TxEnvelopeEip7702.serialize({
    type: 'eip7702',
    chainId,
    nonce: 0n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    gas: 200_000n,
    to: payer as Hex,
    authorizationList: [{ ...authorization, ...signature }],
  });
  const type = 'TRANSACTION_TYPE_ETHEREUM';
  const { signedTransaction } = await root.result('signTransaction', { signWith: payer, type, unsignedTransaction });
  await anvil.call('eth_sendRawTransaction', [`0x${signedTransaction}`]);
  for (const untilMs = Date.now() + 10_000; (await anvil.call<string>('eth_getCode', [from, 'latest'])) === '0x'; ) {
    if (Date.now() > untilMs) throw new Error('the account obeys no code');
    await anvil.mine(1);
  }
}

/** Removes the delegation of an account. */
export const undelegate = (caller: Caller, from: string): Promise<Sent> =>
  caller.result('ethUndelegate7702', { from, caip2: CHAIN });

/** Asks to replace a transaction. */
export const replace = (caller: Caller, params: object) => caller.submit('ethReplaceTransaction', { caip2: CHAIN, ...params });

const replaced = (caller: Caller, params: object): Promise<Sent> =>
  caller.result('ethReplaceTransaction', { caip2: CHAIN, ...params });

export const speedUp = (caller: Caller, from: string, sendTransactionStatusId: string): Promise<Sent> =>
  replaced(caller, { from, sendTransactionStatusId, replacement: 'SPEED_UP' });

export const cancel = (caller: Caller, from: string, sendTransactionStatusId: string): Promise<Sent> =>
  replaced(caller, { from, sendTransactionStatusId, replacement: 'CANCEL' });

export const statusOf = (caller: Caller, id: string): Promise<Json> =>
  caller.data('getSendTransactionStatus', { sendTransactionStatusId: id });

/** Waits until a transaction has a state. */
export async function reach(caller: Caller, id: string, state: string, meanwhile?: () => Promise<void>): Promise<Json> {
  for (const untilMs = Date.now() + 150_000; ; ) {
    await meanwhile?.();
    const status = await statusOf(caller, id);
    if (status.txStatus === state) return status;
    if (Date.now() > untilMs) throw new Error(`the transaction is not ${state}: ${JSON.stringify(status)}`);
    await sleep(300);
  }
}

/** The nonces of transactions by their ids. */
export const noncesOf = (caller: Caller, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => Number((await statusOf(caller, id)).transaction.nonce)));

/** Adds blocks until a transaction is final. */
export const confirm = (caller: Caller, anvil: Anvil, id: string, state = 'COMPLETED'): Promise<Json> =>
  reach(caller, id, state, () => anvil.mine(1));
