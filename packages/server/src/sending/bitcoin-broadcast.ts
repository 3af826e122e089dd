import type { ChainClient } from '../chain-nodes/chain-client.ts';
import { bitcoinCalls } from './bitcoin-node.ts';
import type { Broadcast } from './broadcast.ts';
import type { SendRecord } from './send-record.ts';

/** Errors of Bitcoin Core about a transaction: it cannot be read, breaks a rule of the chain, or one of the node. */
const rejections: ReadonlySet<number> = new Set([-22, -25, -26]);
/** A block contains the transaction already. */
const IN_CHAIN = -27;
/** The node has it, with this signature or another one. */
const known = /txn-already|same-nonwitness|already in (the )?(block ?chain|mempool|utxo set)/i;
/**
 * About other transactions, the time or the load of the node. All of them can pass.
 * SECURITY: D929: a coin that is missing may have been spent by this very transaction, which a gateway handed over before.
 */
const passing = /missing|spent|inputs|conflict|replace|insufficient fee|final|mempool|too-long|premature/i;

/**
 * Hands a transaction to all endpoints of its chain. The same bytes each time, so repetition has no other effect.
 * INVARIANT: D929: a rejection counts only if every endpoint gives one, and all are about the transaction itself.
 */
export async function broadcastOnBitcoin(
  client: ChainClient,
  { signed, hash }: Pick<SendRecord, 'signed' | 'hash'>,
): Promise<Broadcast> {
  const answers = await client.callAll(bitcoinCalls.send(signed));
  const reasons: string[] = [];
  let isCertain = true;
  let isAccepted = false;
  for (const answer of answers) {
    if (answer.status === 'ok') {
      isAccepted ||= answer.value === hash;
      isCertain = false;
      if (answer.value !== hash) reasons.push('an endpoint reports another transaction');
    } else if (answer.status === 'failed') {
      // SECURITY: D750: callers see the reason, and hosts are for operators only.
      reasons.push(`an endpoint gave no valid response (${answer.error.failure})`);
      isCertain = false;
    } else {
      const { code, message } = answer.rejection;
      isAccepted ||= code === IN_CHAIN || known.test(message);
      isCertain &&= rejections.has(code) && !passing.test(message);
      reasons.push(message);
    }
  }
  if (isAccepted) return { outcome: 'ACCEPTED' };
  return { outcome: isCertain ? 'REJECTED' : 'UNKNOWN', reason: [...new Set(reasons)].join('; ') };
}
