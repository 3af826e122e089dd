import { setTimeout as sleep } from 'node:timers/promises';
import type { Anvil } from '../../../support/anvil.ts';
import type { Caller, Json } from '../../../support/caller.ts';
import type { RawDatabase } from '../../../support/raw-database.ts';

/** A payment that the service acknowledged. */
export interface Payment {
  readonly from: string;
  /** Nobody else pays this address. */
  readonly to: string;
  readonly value: bigint;
  readonly activityId: string;
}

export interface SendsFound {
  readonly payments: number;
  readonly cancelled: number;
  readonly violations: readonly string[];
}

interface Checked {
  readonly root: Caller;
  readonly anvil: Anvil;
  readonly accounts: readonly string[];
  readonly payments: readonly Payment[];
  readonly raw: RawDatabase;
}

/** Longer than a process that was killed holds an account. */
const FINAL_MS = 180_000;
const finalStates = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** Waits until every payment is final, and compares all of them with the chain. */
export async function checkSends({ root, anvil, accounts, payments, raw }: Checked): Promise<SendsFound> {
  const violations: string[] = [];
  const seen = new Map<string, Json>();
  const final = async (id: string): Promise<Json> => {
    for (const untilMs = Date.now() + FINAL_MS; ; await sleep(300)) {
      const status = await root.data('getSendTransactionStatus', { sendTransactionStatusId: id });
      if (!finalStates.includes(status.txStatus) && Date.now() < untilMs) continue;
      const before = seen.get(id)?.txStatus;
      if (before !== undefined && before !== status.txStatus) violations.push(`${id} was ${before} and is ${status.txStatus}`);
      seen.set(id, status);
      return status;
    }
  };
  let cancelled = 0;
  const used = new Map<string, number[]>(accounts.map((account) => [account, []]));
  for (const { from, to, value, activityId } of payments) {
    const { activity } = await root.data('getActivity', { activityId });
    const { sendTransactionStatusId: id } = activity.result.ethSendTransactionResult;
    const status = await final(id);
    const winner = status.txStatus === 'CANCELLED' ? status.transaction.replacedById : id;
    const won = winner === undefined ? undefined : await final(winner);
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
  for (const id of seen.keys()) await final(id);
  const open = await raw.all("SELECT id, state FROM sends WHERE state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')");
  for (const row of open) violations.push(`${row.id} is still ${row.state}`);
  return { payments: payments.length, cancelled, violations };
}
