import { setTimeout as sleep } from 'node:timers/promises';
import type { Anvil } from '../../../support/anvil.ts';
import type { Caller, Json } from '../../../support/caller.ts';
import type { RawDatabase } from '../../../support/raw-database.ts';
import { FINAL_MS, finalStates, type SendsFound, stillOpen } from './sends-chain.ts';

/** A payment that the service acknowledged. */
export interface Payment {
  readonly from: string;
  /** Nobody else pays this address. */
  readonly to: string;
  readonly value: bigint;
  readonly activityId: string;
}

interface Checked {
  readonly root: Caller;
  readonly anvil: Anvil;
  readonly accounts: readonly string[];
  readonly payments: readonly Payment[];
  readonly raw: RawDatabase;
}

/** The final states of transactions. One that has two of them is a violation. */
export class FinalStates {
  readonly #root: Caller;
  readonly #seen = new Map<string, Json>();
  readonly violations: string[] = [];

  constructor(root: Caller) {
    this.#root = root;
  }

  async of(id: string): Promise<Json> {
    for (const untilMs = Date.now() + FINAL_MS; ; await sleep(300)) {
      const status = await this.#root.data('getSendTransactionStatus', { sendTransactionStatusId: id });
      if (!finalStates.includes(status.txStatus) && Date.now() < untilMs) continue;
      const before = this.#seen.get(id)?.txStatus;
      if (before !== undefined && before !== status.txStatus)
        this.violations.push(`${id} was ${before} and is ${status.txStatus}`);
      this.#seen.set(id, status);
      return status;
    }
  }

  /** Reads all of them again. */
  async again(): Promise<void> {
    for (const id of [...this.#seen.keys()]) await this.of(id);
  }
}

/** Waits until every payment is final, and compares all of them with the chain. */
export async function checkSends({ root, anvil, accounts, payments, raw }: Checked): Promise<SendsFound> {
  const final = new FinalStates(root);
  const { violations } = final;
  let cancelled = 0;
  const used = new Map<string, number[]>(accounts.map((account) => [account, []]));
  for (const { from, to, value, activityId } of payments) {
    const { activity } = await root.data('getActivity', { activityId });
    const { sendTransactionStatusId: id } = activity.result.ethSendTransactionResult;
    const status = await final.of(id);
    const winner = status.txStatus === 'CANCELLED' ? status.transaction.replacedById : id;
    const won = winner === undefined ? undefined : await final.of(winner);
    if (won?.txStatus !== 'COMPLETED') violations.push(`${id} is ${status.txStatus}: ${status.txError ?? ''}`);
    used.get(from)?.push(Number(status.transaction.nonce));
    const received = BigInt(await anvil.call<string>('eth_getBalance', [to, 'latest']));
    const transaction = won && (await anvil.call<Json>('eth_getTransactionByHash', [won.eth.txHash]));
    const isCancelled = transaction?.to?.toLowerCase() === from.toLowerCase();
    if (isCancelled) cancelled += 1;
    if (received !== (isCancelled ? 0n : value))
      violations.push(`${to} received ${received} instead of ${isCancelled ? 0n : value}`);
  }
  for (const [account, nonces] of used) {
    const sorted = [...nonces].sort((a, b) => a - b);
    if (sorted.some((nonce, at) => nonce !== at)) violations.push(`the nonces of ${account} are ${sorted}`);
    const count = Number(await anvil.call<string>('eth_getTransactionCount', [account, 'latest']));
    if (count !== sorted.length) violations.push(`${account} has ${count} transactions for ${sorted.length} payments`);
  }
  await final.again();
  return { payments: payments.length, cancelled, violations: [...violations, ...(await stillOpen(raw))] };
}
