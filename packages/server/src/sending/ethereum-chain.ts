import type { ActivityInput } from '@countersign/contract';
import type { CompletedEthTransaction } from '@countersign/judgement';
import { broadcast } from './broadcast.ts';
import { completeTransaction, maxCostOf, missingFee, requireFunds } from './complete-transaction.ts';
import { type EthereumFacts, ethereumCalls, readEthereumFacts } from './ethereum-node.ts';
import { followed, nextFloor, viewAccount } from './follow.ts';
import type { SendChain } from './send-chain.ts';

type Params = ActivityInput<'ethSendTransaction'>;

const withPrefix = (data: string | undefined) => (data === undefined || data.startsWith('0x') ? (data ?? '0x') : `0x${data}`);

/** EVM chains: a nonce for each transaction of an account, and a fee market. */
export const ethereumChain: SendChain<Params, EthereumFacts, CompletedEthTransaction> = {
  isInSequence: true,
  countsConfirmations: true,
  againMs: 15_000,
  broadcast,
  rejectedLater:
    'A node may have had the transaction before, so the service does not report it as failed. Correct the cause, or cancel the transaction with ETH_REPLACE_TRANSACTION.',
  floor: nextFloor,

  async view(client, account, sends, confirmations) {
    const view = await viewAccount(client, account, sends, confirmations);
    return { expected: view.pending, next: (send) => followed(send, view, sends, confirmations) };
  },

  transactionType: 'TRANSACTION_TYPE_ETHEREUM',
  signWith: 'from',
  chainOf: ({ caip2 }) => caip2,
  accountOf: ({ from }) => from.toLowerCase(),
  unread: { latest: 0, pending: 0, balance: 0n, baseFee: 0n, priorityFee: 0n, gasPrice: 0n, gas: 21_000n },

  readFacts(client, params, planned) {
    const { from, to, value = '0' } = params;
    const gas = params.gasLimit ?? planned?.gasLimit;
    const call = { from, to, value, data: withPrefix(params.data) };
    const known = gas === undefined ? undefined : BigInt(gas);
    return readEthereumFacts(client, call, known, { agreesOnBalance: params.sponsor === true });
  },

  async renewed(client, { from }, facts, { account }) {
    if (facts.latest >= (account?.floor ?? 0)) return facts;
    return { ...facts, latest: await client.agree(ethereumCalls.count(from, 'latest')) };
  },

  complete({ params, account, planned }, facts, limits) {
    const given = { ...params, data: withPrefix(params.data) };
    const before = planned as CompletedEthTransaction | undefined;
    const sponsored = params.sponsor === true && ({ sponsor: true } as const);
    return { ...completeTransaction(given, facts, account, before, limits), from: params.from, ...sponsored };
  },

  requireFunds: (completed, facts, account) => requireFunds(maxCostOf(completed), facts, account.active),
  sponsoring: {
    isAskedFor: ({ sponsor }) => sponsor === true,
    missing: (completed, { balance }, { active }) => missingFee(completed, balance, active),
  },
  toFollow: (completed) => ({ nonce: Number(completed.nonce), maxCost: `${maxCostOf(completed)}` }),
};
