import type { Activities } from '@countersign/contract';
import { bitcoinAccount, bitcoinConfig, bitcoinPayment, serveBitcoin } from '../../features/sending/bitcoin-support.ts';
import { fundedSolana, solanaConfig, solPayment } from '../../features/sending/solana-support.ts';
import { delegate, fundedAccount, pay, payment, reach, sendingConfig } from '../../features/sending/support.ts';
import { fundedTron, serveTron, tronConfig, tronPayment } from '../../features/sending/tron-support.ts';
import { startAnvil } from '../anvil.ts';
import { createBitcoinLedger } from '../bitcoin-ledger.ts';
import { measureOperation, type OperationCost } from '../measure-operation.ts';
import type { RawDatabase } from '../raw-database.ts';
import type { TestService } from '../service.ts';
import { startSolanaNode } from '../solana-node.ts';
import { createTronLedger } from '../tron-ledger.ts';
import { createSubOrganization } from '../world.ts';
import { type Walked, walkActivity, walkQuery } from './requests.ts';

/** The operations that need a node of Ethereum. */
export const sendingOperations: readonly string[] = [
  'ethSendTransaction',
  'ethReplaceTransaction',
  'ethUndelegate7702',
  'getSendTransactionStatus',
];

/** Starts a service with settings. */
export type WithService = (
  config: ReturnType<typeof sendingConfig>,
  use: (service: TestService, raw: RawDatabase) => Promise<void>,
) => Promise<void>;

/** Sends transactions with the runtime of Solana. */
export async function walkSolana(runs: number, withService: WithService): Promise<Walked[]> {
  const walked: Walked[] = [];
  const node = await startSolanaNode();
  try {
    await withService(solanaConfig(node, [node.url]), async ({ root: first }, raw) => {
      const newTrial = async () => {
        const { caller } = await createSubOrganization(first);
        return { caller, params: solPayment(node, await fundedSolana(caller, node)) };
      };
      walked.push(...(await walkActivity(raw, 'solSendTransaction', newTrial, runs)));
    });
  } finally {
    await node.close();
  }
  return walked;
}

/** Sends transactions with the stand-in for a node of Tron. */
export async function walkTron(runs: number, withService: WithService): Promise<Walked[]> {
  const walked: Walked[] = [];
  const ledger = createTronLedger();
  const server = await serveTron(ledger);
  try {
    await withService(tronConfig(ledger, [server]), async ({ root: first }, raw) => {
      const newTrial = async () => {
        const { caller } = await createSubOrganization(first);
        return { caller, params: tronPayment(ledger, await fundedTron(caller, ledger)) };
      };
      walked.push(...(await walkActivity(raw, 'tronSendTransaction', newTrial, runs)));
    });
  } finally {
    await server.close();
  }
  return walked;
}

/** Sends transactions with the stand-in for a node of Bitcoin. */
export async function walkBitcoin(runs: number, withService: WithService): Promise<Walked[]> {
  const walked: Walked[] = [];
  const ledger = createBitcoinLedger();
  const server = await serveBitcoin(ledger);
  try {
    await withService(bitcoinConfig(ledger, [server]), async ({ root: first }, raw) => {
      const newTrial = async () => {
        const { caller } = await createSubOrganization(first);
        return { caller, params: bitcoinPayment(ledger, await bitcoinAccount(caller, ledger)) };
      };
      walked.push(...(await walkActivity(raw, 'bitcoinSendTransaction', newTrial, runs)));
    });
  } finally {
    await server.close();
  }
  return walked;
}

/** Sends and follows transactions with a node of Ethereum. */
export async function walkSending(runs: number, withService: WithService): Promise<Walked[]> {
  const walked: Walked[] = [];
  const anvil = await startAnvil();
  try {
    await withService(sendingConfig([anvil.url]), async ({ root: first }, raw) => {
      const newTrial = async () => {
        const { caller } = await createSubOrganization(first);
        return { caller, params: payment(await fundedAccount(caller, anvil)) };
      };
      const name: keyof Activities = 'ethSendTransaction';
      walked.push(...(await walkActivity(raw, name, newTrial, runs)));
      const cost = await costOfStatus(first, await fundedAccount(first, anvil), raw, runs);
      walked.push({ operation: 'getSendTransactionStatus', form: 'small', cost });
      walked.push(await walkQuery(raw, first, 'listSendTransactions', {}, runs));
      const newUndelegation = async () => {
        const { caller, params } = await newTrial();
        const { from, caip2 } = params;
        await delegate(caller, anvil, from);
        return { caller, params: { from, caip2 } };
      };
      walked.push(...(await walkActivity(raw, 'ethUndelegate7702', newUndelegation, runs)));
      await anvil.call('evm_setAutomine', [false]);
      const newReplacement = async () => {
        const { caller, params } = await newTrial();
        const { from, caip2 } = params;
        return { caller, params: { from, caip2, sendTransactionStatusId: await pay(caller, from), replacement: 'SPEED_UP' } };
      };
      walked.push(...(await walkActivity(raw, 'ethReplaceTransaction', newReplacement, runs)));
    });
  } finally {
    await anvil.stop();
  }
  return walked;
}

async function costOfStatus(
  caller: TestService['root'],
  account: string,
  raw: RawDatabase,
  runs: number,
): Promise<OperationCost> {
  const sendTransactionStatusId = await pay(caller, account);
  await reach(caller, sendTransactionStatusId, 'INCLUDED');
  const text = JSON.stringify({ organizationId: caller.organizationId, sendTransactionStatusId });
  return measureOperation(raw, { caller, path: caller.queryPath('getSendTransactionStatus'), body: () => text }, runs);
}
