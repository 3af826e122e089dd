import { encodeAddress, type TronReference, tronReferenceOf, withTronReference } from '@countersign/chains';
import { type ActivityInput, ServiceError } from '@countersign/contract';
import type { CompletedTronTransaction } from '@countersign/judgement';
import type { Broadcast } from './broadcast.ts';
import type { SendChain } from './send-chain.ts';
import { readTronFacts, type TronFacts, unreadTron } from './tron-facts.ts';
import { followedOnTron, viewOnTron } from './tron-follow.ts';
import { tronCalls } from './tron-node.ts';

type Params = ActivityInput<'tronSendTransaction'>;

const referenceIn = ({ refBlockBytes, refBlockHash, expiration }: TronReference): TronReference => ({
  refBlockBytes,
  refBlockHash,
  expiration,
});

/** Tron: a transaction has no nonce. It refers to a block and expires at a time. */
export const tronChain: SendChain<Params, TronFacts, CompletedTronTransaction> = {
  isInSequence: false,
  countsConfirmations: false,
  againMs: 8_000,
  floor: (floor) => floor,

  async view(client, _account, sends) {
    const view = await viewOnTron(client, sends);
    return { expected: 0, next: (send) => followedOnTron(send, view) };
  },

  /** INVARIANT: D924: a rejection ends nothing. An endpoint that gives one may still have the transaction, so it must expire. */
  async broadcast(client, { signed, hash }): Promise<Broadcast> {
    const answers = await client.callAll(tronCalls.send(signed));
    const reasons = answers.map((answer) => {
      // SECURITY: D750: callers see the reason, and hosts are for operators only.
      if (answer.status === 'failed') return `an endpoint gave no valid response (${answer.error.failure})`;
      if (answer.status === 'rejected') return answer.rejection.message;
      const { id, code } = answer.value;
      if (id === hash || code === 'DUP_TRANSACTION_ERROR') return undefined;
      return code ?? 'an endpoint reports another transaction';
    });
    if (reasons.includes(undefined)) return { outcome: 'ACCEPTED' };
    return { outcome: 'UNKNOWN', reason: [...new Set(reasons)].join('; ') };
  },

  transactionType: 'TRANSACTION_TYPE_TRON',
  signWith: 'signWith',
  chainOf: ({ caip2 }) => caip2,
  accountOf: (_params, publicKey) => encodeAddress('ADDRESS_FORMAT_TRON', 'CURVE_SECP256K1', publicKey),
  unread: unreadTron,

  readFacts: (client, { unsignedTransaction }, _planned, account) =>
    readTronFacts(client, account, unsignedTransaction, tronReferenceOf(unsignedTransaction)),

  /** Two equal payments need different expirations, or they are one transaction. */
  async renewed(_client, { unsignedTransaction }, facts, { active }) {
    if (tronReferenceOf(unsignedTransaction) !== undefined) return facts;
    let expiration = BigInt(facts.expiration);
    const isUsed = () => {
      const bytes = withTronReference(unsignedTransaction, { ...referenceIn(facts), expiration: `${expiration}` });
      return active.some(({ signed }) => signed.includes(bytes));
    };
    while (isUsed()) expiration += 1n;
    return { ...facts, expiration: `${expiration}` };
  },

  complete({ params }, facts) {
    const { signWith, caip2, unsignedTransaction } = params;
    return { signWith, caip2, unsignedTransaction, ...referenceIn(tronReferenceOf(unsignedTransaction) ?? facts) };
  },

  sameBytes: (completed) => withTronReference(completed.unsignedTransaction, referenceIn(completed)),

  requireFunds(_completed, { balance }, { active }, { maxCost, maxFee }) {
    if (maxCost === undefined || maxFee === undefined) return;
    const waiting = active
      .filter(({ state }) => state !== 'INCLUDED')
      .reduce((sum, send) => sum + BigInt(send.maxCost ?? '0'), 0n);
    const spent = maxCost - maxFee;
    if (waiting + spent <= balance) return;
    throw new ServiceError(
      'PRECONDITION_FAILED',
      `The account has ${balance} sun. This transaction takes ${spent} sun, and ${waiting} sun are promised to earlier ones. Nothing was sent.`,
    );
  },

  toFollow({ expiration }, { since }, { maxCost, maxFee }) {
    const spent = maxCost === undefined || maxFee === undefined ? undefined : `${maxCost - maxFee}`;
    return { nonce: 0, maxCost: spent, lifetime: { since, until: Number(expiration) } };
  },
};
