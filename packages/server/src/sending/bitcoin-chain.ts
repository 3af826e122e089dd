import { bitcoinNetworkOf, bitcoinSpends, bitcoinWireForm, encodeAddress, requireSendableOnBitcoin } from '@countersign/chains';
import { type ActivityInput, ServiceError } from '@countersign/contract';
import type { CompletedBitcoinTransaction } from '@countersign/judgement';
import { broadcastOnBitcoin } from './bitcoin-broadcast.ts';
import { type BitcoinFacts, readBitcoinFacts } from './bitcoin-facts.ts';
import { followedOnBitcoin, viewOnBitcoin } from './bitcoin-follow.ts';
import type { SendChain } from './send-chain.ts';

type Params = ActivityInput<'bitcoinSendTransaction'>;

/** Bitcoin: a transaction has no nonce and no end. It spends outputs of earlier ones, and only one transaction can spend each. */
export const bitcoinChain: SendChain<Params, BitcoinFacts, CompletedBitcoinTransaction> = {
  isInSequence: false,
  countsConfirmations: true,
  againMs: 30_000,
  rejectedLater: 'A transaction that spends one of the same coins, signed with sign_transaction, ends it',
  floor: (floor) => floor,

  async view(client, _account, sends, confirmations) {
    const view = await viewOnBitcoin(client, sends);
    return { expected: 0, next: (send) => followedOnBitcoin(send, view, confirmations) };
  },

  broadcast: broadcastOnBitcoin,

  transactionType: 'TRANSACTION_TYPE_BITCOIN',
  signWith: 'signWith',
  chainOf: ({ caip2 }) => caip2,
  /** The key on its network. Its coins can have other addresses, and all of them are of this account. */
  accountOf: ({ caip2 }, publicKey) =>
    encodeAddress(`ADDRESS_FORMAT_BITCOIN_${bitcoinNetworkOf(caip2)}_P2WPKH`, 'CURVE_SECP256K1', publicKey),
  unread: { spends: [] },

  requireSendable: ({ caip2 }, parsed) => requireSendableOnBitcoin(parsed, caip2),
  readFacts: (client, { unsignedTransaction }) => readBitcoinFacts(client, bitcoinSpends(unsignedTransaction)),
  /**
   * SECURITY: D956: the coins again, after the account was read. A payment that was final by then is in a block, and one that was not is refused
   * below. Otherwise one that began and ended since the first question would be forgotten, and its coin signed a second time.
   */
  renewed: async (client, { unsignedTransaction }, facts, { account }) =>
    account === undefined ? facts : readBitcoinFacts(client, bitcoinSpends(unsignedTransaction)),

  complete({ params: { signWith, caip2, unsignedTransaction } }) {
    return { signWith, caip2, unsignedTransaction };
  },

  /** SECURITY: D930: of two transactions that spend the same coin, one is never paid. Both callers would take theirs for paid. */
  requireFunds(_completed, { spends }, { active }) {
    const wanted = new Set(spends);
    for (const { hash, activityId, spends: taken = [] } of active) {
      const outpoint = taken.find((each) => wanted.has(each));
      if (outpoint === undefined) continue;
      throw new ServiceError(
        'PRECONDITION_FAILED',
        `The transaction ${hash}, which is not final yet, spends ${outpoint} already. Nothing was signed. Spend other coins, or wait for it.`,
        { activityId },
      );
    }
  },

  toBytes: bitcoinWireForm,
  toFollow: (_completed, { spends }) => ({ nonce: 0, spends }),
};
