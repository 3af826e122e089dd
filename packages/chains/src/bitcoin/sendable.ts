import { finished } from '@countersign/collections';
import { bytesToHex } from '@noble/hashes/utils.js';
import { invalidTransaction } from '../shared/refusal.ts';
import type { ParsedTransaction } from '../transaction.ts';
import { bitcoinChainIds } from './effects.ts';
import type { NetworkName } from './network.ts';
import { readPsbt } from './psbt.ts';
import type { ParsedBitcoinTransaction } from './transaction.ts';

/** An output that a transaction spends, as its PSBT describes it. */
export interface SpentOutput {
  /** The transaction that created it, in display order. */
  readonly txId: string;
  readonly vout: number;
  readonly satoshis: bigint;
  /** The locking script in hexadecimal. */
  readonly script: string;
}

/** What a PSBT spends, and when its transaction can be in a block. */
export interface BitcoinSpends {
  readonly outputs: readonly SpentOutput[];
  /** 0 if the transaction can be in any block. */
  readonly lockTime: number;
}

/** Nodes are asked about each input, again and again until the transaction is final. */
export const MAX_SENT_INPUTS = 50;
/** A sequence number of this value makes its input ignore the lock time. */
const FINAL_SEQUENCE = 0xffff_ffff;

/** The network of a CAIP-2 name. Throws ChainError for one of another chain. */
export function bitcoinNetworkOf(caip2: string): NetworkName {
  const found = (Object.keys(bitcoinChainIds) as NetworkName[]).find((name) => caip2 === `bip122:${bitcoinChainIds[name]}`);
  if (found !== undefined) return found;
  const known = Object.values(bitcoinChainIds).map((id) => `bip122:${id}`);
  throw invalidTransaction(`caip2 names no network of Bitcoin. Known networks are ${known.join(', ')}`);
}

/**
 * Throws ChainError unless the service can sign the whole transaction and follow it.
 * SECURITY: D925: signatures name no network. The address of the signer is what approvers see, so it must be one of the network that the
 * transaction is sent to. D926: without the other signatures nothing can be sent, and a legacy signature covers no amount.
 */
export function requireSendable(parsed: ParsedTransaction, caip2: string): void {
  const { psbt, ownInputs, network } = parsed as ParsedBitcoinTransaction;
  const wanted = bitcoinNetworkOf(caip2);
  if (wanted !== network)
    throw invalidTransaction(`caip2 names the network ${wanted}, but the address in signWith is for ${network}`);
  const { inputs } = psbt;
  if (inputs.length > MAX_SENT_INPUTS)
    throw invalidTransaction(`a transaction to send has at most ${MAX_SENT_INPUTS} inputs, and this one has ${inputs.length}`);
  const other = inputs.findIndex((_, index) => !ownInputs.some((own) => own.index === index));
  if (other >= 0)
    throw invalidTransaction(`the signing key does not spend input ${other}, and a transaction to send needs all signatures`);
  const legacy = ownInputs.find(({ script }) => script.kind === 'P2PKH');
  if (legacy !== undefined)
    throw invalidTransaction(`input ${legacy.index} spends a P2PKH output, whose signature does not cover the amount`);
  const signed = inputs.findIndex(({ records }) => records.partialSigners.length > 0);
  if (signed >= 0) throw invalidTransaction(`input ${signed} has a signature of another key`);
  // BIP-68: a relative lock time, unless bit 31 is set or the version is 1.
  const relative = inputs.findIndex(({ sequence }) => sequence < 0x8000_0000 && (sequence & 0xffff) !== 0);
  if (psbt.version >>> 0 >= 2 && relative >= 0)
    throw invalidTransaction(`input ${relative} has a relative lock time, which a transaction to send must not have`);
}

/** What a PSBT spends. Throws ChainError if it does not say so for each input. */
export function bitcoinSpends(unsignedTransaction: string): BitcoinSpends {
  const { inputs, lockTime } = finished(readPsbt(unsignedTransaction, {}));
  const outputs = inputs.map(({ txId, vout, spent }, index) => {
    if (spent === undefined) throw invalidTransaction(`input ${index} does not say what it spends`);
    return { txId: bytesToHex(txId), vout, satoshis: spent.amount, script: bytesToHex(spent.script) };
  });
  return { outputs, lockTime: inputs.every(({ sequence }) => sequence === FINAL_SEQUENCE) ? 0 : lockTime };
}
