import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { scriptOfAddress } from '../addresses/bitcoin.ts';
import { parsePublicKey } from '../addresses/public-key.ts';
import type { PaymentOrder } from '../effects/payment-order.ts';
import { fromHexDigits, withoutPrefix } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import type { SignerKey } from '../transaction.ts';
import { plainRecord } from './input-records.ts';
import { keyUse, type ScriptKind } from './network.ts';
import { type OwnScript, ownScripts } from './own-scripts.ts';
import { UNSIGNED_TRANSACTION } from './psbt.ts';
import { writeMaps } from './psbt-maps.ts';
import { readPreviousTransaction } from './read-transaction.ts';
import { MAX_SENT_INPUTS } from './sendable.ts';
import { ByteWriter, type Output } from './serialize.ts';

/** How a payment on Bitcoin is made. */
export interface BitcoinPaymentOptions {
  /** The key of the payer, with the format of its address. */
  readonly signer: SignerKey;
  /**
   * Transactions that paid the account, in hexadecimal. Their outputs to it are the coins.
   * SECURITY: the id of a transaction is its hash, so amounts cannot be wrong: a changed transaction has coins that do not exist.
   */
  readonly previous: readonly string[];
  readonly satoshisPerKilobyte: bigint;
}

/** A payment, and what it costs. */
export interface BitcoinPayment {
  /** The PSBT in hexadecimal. */
  readonly psbt: string;
  readonly fee: bigint;
}

interface Coin extends Output {
  readonly txid: Uint8Array;
  readonly index: number;
  readonly previous: Uint8Array;
}

/** Virtual bytes of an input with one signature of 72 bytes, or of 64 for Taproot. */
const INPUT_BYTES: Readonly<Record<ScriptKind, bigint>> = { P2PKH: 148n, P2SH: 91n, P2WPKH: 68n, P2WSH: 69n, P2TR: 58n };
/** Version, counts, lock time and the marker of segwit, rounded up. */
const OVERHEAD_BYTES = 12n;
/** Bitcoin Core, GetDustThreshold: the highest of all scripts. Nodes do not relay smaller outputs. */
export const BITCOIN_DUST = 546n;
/** BIP-125: without a relative lock time, and not final. */
const SEQUENCE = 0xffff_fffd;

/**
 * The PSBT of one payment. It spends the largest coins until they pay for it, and returns the rest to the payer. What is too small to return
 * is part of the fee. Throws ChainError.
 */
export function bitcoinPayment(
  order: PaymentOrder,
  { signer, previous, satoshisPerKilobyte }: BitcoinPaymentOptions,
): BitcoinPayment {
  const { network, kinds } = keyUse(signer.addressFormat);
  const [own] = [...ownScripts(parsePublicKey(signer.curve, signer.publicKey).compressed, kinds).values()] as [OwnScript];
  const script = scriptOfAddress(order.to, network);
  if (script === undefined) throw invalidTransaction('the receiver is not an address of the network');
  if (order.amount < BITCOIN_DUST) throw invalidTransaction(`nodes do not relay a payment below ${BITCOIN_DUST} satoshis`);
  const coins = coinsOf(previous, own.scriptPubKey).toSorted((a, b) => (a.amount < b.amount ? 1 : -1));
  const receiver = { amount: order.amount, script };
  let sum = 0n;
  for (const [at, { amount }] of coins.entries()) {
    sum += amount;
    const feeOf = (outputs: readonly Output[]) => feeFor(own.kind, at + 1, outputs, satoshisPerKilobyte);
    const change = {
      amount: sum - order.amount - feeOf([receiver, { amount: 0n, script: own.scriptPubKey }]),
      script: own.scriptPubKey,
    };
    const outputs = change.amount < BITCOIN_DUST ? [receiver] : [receiver, change];
    const fee = sum - outputs.reduce((total, each) => total + each.amount, 0n);
    if (fee < feeOf(outputs)) continue;
    if (at + 1 > MAX_SENT_INPUTS)
      throw invalidTransaction(`it would spend more than ${MAX_SENT_INPUTS} coins: send a smaller amount`);
    return { psbt: psbtOf(coins.slice(0, at + 1), outputs), fee };
  }
  throw invalidTransaction(
    `the given transactions pay the account ${sum} satoshis, which are not enough for the amount and the fee`,
  );
}

/** The outputs of some transactions that pay a script, each once. */
function coinsOf(previous: readonly string[], script: Uint8Array): readonly Coin[] {
  const own = bytesToHex(script);
  const coins = new Map<string, Coin>();
  for (const [at, text] of previous.entries()) {
    const bytes = fromHexDigits(withoutPrefix(text));
    if (bytes === undefined) throw invalidTransaction(`transaction ${at + 1} is not hexadecimal`);
    const { outputs, withoutWitnesses } = readPreviousTransaction(bytes);
    const txid = sha256(sha256(withoutWitnesses)).reverse();
    for (const [index, output] of outputs.entries())
      if (bytesToHex(output.script) === own)
        coins.set(`${bytesToHex(txid)}:${index}`, { ...output, txid, index, previous: withoutWitnesses });
  }
  return [...coins.values()];
}

function feeFor(kind: ScriptKind, inputs: number, outputs: readonly Output[], satoshisPerKilobyte: bigint): bigint {
  const written = BigInt(new ByteWriter().outputs(outputs).done().length);
  const bytes = OVERHEAD_BYTES + BigInt(inputs) * INPUT_BYTES[kind] + written;
  return (bytes * satoshisPerKilobyte + 999n) / 1_000n;
}

function psbtOf(coins: readonly Coin[], outputs: readonly Output[]): string {
  const inputs = coins.map(({ txid, index }) => ({ txid, index, finalScriptSig: new Uint8Array(), sequence: SEQUENCE }));
  const unsigned = new ByteWriter().transaction({ version: 2, inputs, outputs, lockTime: 0 }).done();
  return bytesToHex(
    writeMaps({
      global: [{ key: Uint8Array.of(UNSIGNED_TRANSACTION), value: unsigned }],
      inputs: coins.map(({ previous }) => [plainRecord('nonWitnessUtxo', previous)]),
      outputs: outputs.map(() => []),
    }),
  );
}
