import { encodeAddress, requireCompleteWith, signedMessage, withBlockhash } from '@countersign/chains';
import type { ActivityInput } from '@countersign/contract';
import type { CompletedSolTransaction } from '@countersign/judgement';
import type { Broadcast } from './broadcast.ts';
import type { SendChain } from './send-chain.ts';
import { chosenBlockhash, readSolanaFacts, type SolanaFacts, unreadSolana } from './solana-facts.ts';
import { followedOnSolana, viewTransactions } from './solana-follow.ts';
import { solanaCalls } from './solana-node.ts';

type Params = ActivityInput<'solSendTransaction'>;

const chosenBy = ({ unsignedTransaction, recentBlockhash }: Params) => chosenBlockhash(unsignedTransaction, recentBlockhash);

/** Solana: a transaction has no nonce and can be executed by the 150 blocks that follow its blockhash. */
export const solanaChain: SendChain<Params, SolanaFacts, CompletedSolTransaction> = {
  isInSequence: false,
  countsConfirmations: false,
  againMs: 4_000,
  floor: (floor) => floor,

  async view(client, _account, sends) {
    const view = await viewTransactions(client, sends);
    return { expected: 0, next: (send) => followedOnSolana(send, view) };
  },

  /** INVARIANT: D921: a rejection ends nothing. An endpoint that gives one may still have handed the transaction on, so it must expire. */
  async broadcast(client, { signed, hash }): Promise<Broadcast> {
    const answers = await client.callAll(solanaCalls.send(signed));
    const reasons = answers.map((answer) => {
      if (answer.status === 'ok') return answer.value === hash ? undefined : 'an endpoint reports another signature';
      // SECURITY: D750: callers see the reason, and hosts are for operators only.
      if (answer.status === 'failed') return `an endpoint gave no valid response (${answer.error.failure})`;
      return answer.rejection.message;
    });
    if (reasons.includes(undefined)) return { outcome: 'ACCEPTED' };
    return { outcome: 'UNKNOWN', reason: [...new Set(reasons)].join('; ') };
  },

  transactionType: 'TRANSACTION_TYPE_SOLANA',
  signWith: 'signWith',
  chainOf: ({ caip2 }) => caip2,
  accountOf: (_params, publicKey) => encodeAddress('ADDRESS_FORMAT_SOLANA', 'CURVE_ED25519', publicKey),
  unread: unreadSolana,

  readFacts(client, params, _planned, account) {
    requireCompleteWith(params.unsignedTransaction, account);
    return readSolanaFacts(client, params.unsignedTransaction, chosenBy(params));
  },

  /** Two equal payments need different blockhashes, or they are one transaction. */
  async renewed(client, params, facts, { active }) {
    if (chosenBy(params) !== undefined) return facts;
    const { unsignedTransaction } = params;
    const message = signedMessage(withBlockhash(unsignedTransaction, facts.blockhash));
    const isUsed = active.some(({ signed }) => signed.endsWith(message));
    return isUsed ? readSolanaFacts(client, unsignedTransaction, undefined) : facts;
  },

  complete({ params }, { blockhash }) {
    const { signWith, caip2, unsignedTransaction } = params;
    return { signWith, caip2, unsignedTransaction, recentBlockhash: chosenBy(params) ?? blockhash };
  },

  sameBytes: ({ unsignedTransaction, recentBlockhash }) => signedMessage(withBlockhash(unsignedTransaction, recentBlockhash)),
  /** The nodes tried the transaction. */
  requireFunds: () => {},
  toFollow: (_completed, { since, until }) => ({ nonce: 0, lifetime: { since, until } }),
};
