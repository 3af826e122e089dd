import { CHAIN, fundedAccount } from '../../../features/sending/support.ts';
import { startAnvil } from '../../../support/anvil.ts';
import type { Json } from '../../../support/caller.ts';
import type { PaidChain } from './sends-chain.ts';
import { checkSends, type Payment } from './sends-checker.ts';
import { oneOf } from './workload.ts';

/** The share of payments that a client then speeds up or cancels. */
const REPLACED = 0.25;

/** A real node of Ethereum (anvil). Each payment has a receiver of its own. */
export async function paidEthereum(): Promise<PaidChain> {
  const anvil = await startAnvil();
  const payments: Payment[] = [];
  let accounts: readonly string[] = [];
  let number = 0;
  let replaced = 0;
  return {
    environment: {
      COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({ [CHAIN]: [anvil.url] }),
      COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
      COUNTERSIGN_SEND_CONFIRMATIONS: '2',
    },
    async prepare(root, count) {
      accounts = await Promise.all(Array.from({ length: count }, () => fundedAccount(root, anvil, 10_000)));
      await anvil.call('evm_setAutomine', [false]);
      await anvil.call('evm_setIntervalMining', [1]);
    },
    async pay(requests) {
      number += 1;
      const value = number;
      const from = oneOf(accounts);
      const to = `0x${(0xfee0_0000_0000 + value).toString(16).padStart(40, '0')}`;
      const params = { from, caip2: CHAIN, to, value: `${value}`, idempotencyKey: `payment-${value}` };
      const activityId = (await requests.untilAcknowledged('ethSendTransaction', params)) as string;
      payments.push({ from, to, value: BigInt(value), activityId });
      if (Math.random() >= REPLACED) return;
      const details = await requests.try<Json>((caller) => caller.data('getActivity', { activityId }));
      if (details === undefined) return;
      const { sendTransactionStatusId } = details.activity.result.ethSendTransactionResult;
      const replacement = Math.random() < 0.5 ? 'SPEED_UP' : 'CANCEL';
      const asked = { from, caip2: CHAIN, sendTransactionStatusId, replacement };
      const answer = await requests.try((caller) => caller.submit('ethReplaceTransaction', asked));
      if (answer?.status === 200) replaced += 1;
    },
    get replaced() {
      return replaced;
    },
    check: (root, raw) => checkSends({ root, anvil, accounts, payments, raw }),
    close: () => anvil.stop(),
  };
}
