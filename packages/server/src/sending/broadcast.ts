import type { ChainClient } from '../chain-nodes/chain-client.ts';
import { ethereumCalls } from './ethereum-node.ts';
import type { SendRecord } from './send-record.ts';

/** What became of one attempt to hand a transaction to the nodes. */
export type Broadcast =
  /** A node has it. */
  | { readonly outcome: 'ACCEPTED' }
  /** Every node found that the transaction is invalid, so none has it. */
  | { readonly outcome: 'REJECTED'; readonly reason: string }
  /** A node did not respond, failed, or the nonce is used: only the chain can tell. */
  | { readonly outcome: 'UNKNOWN'; readonly reason: string };

/** Errors of nodes that have the transaction already: geth, Nethermind, Besu, Erigon, Reth and anvil. */
const known = /already known|alreadyknown|known transaction|already imported|already in (the )?(mem)?pool|already exists/i;
/** The nonce is used, perhaps by this very transaction. */
const used = /nonce too low|nonce is too low|old nonce|oldnonce|nonce has already been used|invalid nonce/i;
/**
 * The transaction itself cannot be accepted. Letters only, because programs write the same errors with and without spaces.
 * SECURITY: D752: any other error may be one of a gateway whose node took the transaction. Reported as failed, it would be paid again.
 */
const invalid = new RegExp(
  [
    'insufficient(funds|balance|gas)|exceeds(account)?balance|intrinsicgas|gaslimit|gastoo(low|high)|overflow|oversized',
    'invalid(sender|signature|chain)|chainid|senderis(not|contract)|replayprotected|type(is)?notsupported|unsupportedtransactiontype',
    'maxfeepergas|maxpriorityfee|feecap|configuredcap|(fee|price)toolow|belowconfiguredminimum',
  ].join('|'),
);
/** Another transaction with the nonce waits. */
const occupied = /underpriced|replacement|fee too low to replace/i;

/**
 * Hands a transaction to all endpoints of its chain. The same bytes each time, so repetition has no other effect.
 * SECURITY: D746: a rejection counts only if every endpoint gives one. Otherwise an endpoint that lies could make the service sign another
 * transaction with the nonce of one that a node has.
 */
export async function broadcast(client: ChainClient, { signed, hash }: Pick<SendRecord, 'signed' | 'hash'>): Promise<Broadcast> {
  const answers = await client.callAll(ethereumCalls.send(signed));
  const reasons: string[] = [];
  let isCertain = true;
  for (const answer of answers) {
    if (answer.status === 'ok') {
      if (answer.value === hash.toLowerCase()) return { outcome: 'ACCEPTED' };
      reasons.push('an endpoint reports another hash');
      isCertain = false;
    } else if (answer.status === 'failed') {
      // SECURITY: D750: callers see the reason, and hosts are for operators only.
      reasons.push(`an endpoint gave no valid response (${answer.error.failure})`);
      isCertain = false;
    } else {
      const { message } = answer.rejection;
      if (known.test(message)) return { outcome: 'ACCEPTED' };
      reasons.push(message);
      const letters = message.toLowerCase().replace(/[^a-z]/g, '');
      if (used.test(message) || occupied.test(message) || !invalid.test(letters)) isCertain = false;
    }
  }
  const reason = [...new Set(reasons)].join('; ');
  return { outcome: isCertain ? 'REJECTED' : 'UNKNOWN', reason };
}
