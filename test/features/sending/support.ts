import { setTimeout as sleep } from 'node:timers/promises';
import { chainSettings } from '../../../packages/server/src/config/settings/chains.ts';
import type { Config } from '../../../packages/server/src/config/settings.ts';
import type { Anvil } from '../../support/anvil.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { createWallet } from '../../support/world.ts';

export const CHAIN = 'eip155:31337';
export const RECEIVER = `0x${'11'.repeat(20)}`;
export const ETHER = 10n ** 18n;

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
