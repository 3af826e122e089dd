import { equalBytes } from '@noble/curves/utils.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js';
import { sha256x2 } from '@scure/btc-signer/utils.js';
import { ChainError } from '../errors.ts';
import { fromHexDigits, withoutPrefix } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { ByteWriter, type Output, type UnsignedTransaction } from './serialize.ts';

/** The records of an input (BIP-174 and BIP-371) that signing reads or writes. */
export interface InputRecords {
  readonly nonWitnessUtxo?: UnsignedTransaction;
  readonly witnessUtxo?: Output;
  readonly sighashType?: number;
  readonly finalScriptSig?: Uint8Array;
  readonly finalScriptWitness?: readonly Uint8Array[];
  readonly tapMerkleRoot?: Uint8Array;
  redeemScript?: Uint8Array;
  witnessScript?: Uint8Array;
  tapInternalKey?: Uint8Array;
  partialSig?: (readonly [publicKey: Uint8Array, signature: Uint8Array])[];
  tapKeySig?: Uint8Array;
}

/** A PSBT as its maps, with all records, including records not named here. */
export interface RawPsbt {
  readonly global: { readonly unsignedTx?: UnsignedTransaction };
  readonly inputs: readonly InputRecords[];
  readonly outputs: readonly unknown[];
}

/** One input and what the PSBT says about it. */
export interface Input {
  /** In display order, the reverse of the order in which it is hashed and sent. */
  readonly txId: Uint8Array;
  readonly vout: number;
  readonly sequence: number;
  readonly records: InputRecords;
  /** The output that this input spends, if the PSBT says so. */
  readonly spent?: Output;
  /** Whether the whole previous transaction proves `spent`: its hash is the outpoint. */
  readonly proven: boolean;
}

/** A PSBT after parsing and checks. */
export interface Psbt {
  readonly bytes: Uint8Array;
  readonly version: number;
  readonly lockTime: number;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
}

/** As hex, this still fits a request. */
const MAX_PSBT_BYTES = 500_000;
/** Nodes do not relay a heavier transaction (Bitcoin Core, MAX_STANDARD_TX_WEIGHT). A byte outside of witnesses weighs four. */
const MAX_UNSIGNED_BYTES = 400_000 / 4;
/** Each legacy signature hashes the whole transaction again, so time grows with the square of the inputs. */
const MAX_INPUTS = 500;
const MAX_SATOSHIS = 21_000_000n * 100_000_000n;

/**
 * Reads a PSBT of version 0 (BIP-174) from hex. Keeps unknown records, which have no effect.
 * Checks what each input claims to spend: a previous transaction must hash to the outpoint, and the two ways to state the
 * spent output must agree.
 */
export function parsePsbt(hex: string): Psbt {
  const digits = withoutPrefix(hex);
  if (digits.length > 2 * MAX_PSBT_BYTES) throw invalidTransaction(`the PSBT is longer than ${MAX_PSBT_BYTES} bytes`);
  const bytes = fromHexDigits(digits);
  if (bytes === undefined) throw invalidTransaction('the PSBT is not hex');
  return guarded(() => {
    const raw = decodePsbt(bytes);
    const { version, lockTime, inputs, outputs } = requireUnsigned(raw);
    const read = inputs.map((input, index) => readInput(input, raw.inputs[index] as InputRecords));
    const psbt = { bytes, version, lockTime, inputs: read, outputs };
    requireSound(psbt);
    return psbt;
  });
}

// The library's types do not name each record, and bind their bytes to one kind of buffer.
const coder = RawPSBTV0 as unknown as { decode(bytes: Uint8Array): RawPsbt; encode(psbt: RawPsbt): Uint8Array };

/** The maps of a PSBT, for changing and writing back. */
export function decodePsbt(bytes: Uint8Array): RawPsbt {
  return coder.decode(bytes);
}

export function encodePsbt(psbt: RawPsbt): Uint8Array {
  return coder.encode(psbt);
}

function requireUnsigned({ global, inputs, outputs }: RawPsbt): UnsignedTransaction {
  const { unsignedTx } = global;
  if (unsignedTx === undefined) throw invalidTransaction('the PSBT has no unsigned transaction');
  if (unsignedTx.inputs.some(({ finalScriptSig }) => finalScriptSig.length > 0)) {
    throw invalidTransaction('the unsigned transaction of the PSBT carries signatures');
  }
  if (inputs.length !== unsignedTx.inputs.length || outputs.length !== unsignedTx.outputs.length) {
    throw invalidTransaction('the PSBT needs exactly one map for each input and output');
  }
  if (unsignedTx.inputs.length > MAX_INPUTS) throw invalidTransaction(`the transaction has more than ${MAX_INPUTS} inputs`);
  if (new ByteWriter().transaction(unsignedTx).done().length > MAX_UNSIGNED_BYTES)
    throw invalidTransaction('the transaction is larger than nodes relay');
  return unsignedTx;
}

function readInput({ txid, index, sequence }: UnsignedTransaction['inputs'][number], records: InputRecords): Input {
  const { witnessUtxo, nonWitnessUtxo } = records;
  const input = { txId: txid, vout: index, sequence, records };
  if (nonWitnessUtxo === undefined) return { ...input, proven: false, ...(witnessUtxo && { spent: witnessUtxo }) };
  // SECURITY: without this check a wrong amount in a legacy input would only show as a lost fee.
  if (!equalBytes(sha256x2(new ByteWriter().transaction(nonWitnessUtxo).done()).reverse(), txid)) {
    throw invalidTransaction('a previous transaction does not match the outpoint of its input');
  }
  const spent = nonWitnessUtxo.outputs[index];
  if (spent === undefined) throw invalidTransaction('an input spends an output that its previous transaction does not have');
  if (witnessUtxo && (witnessUtxo.amount !== spent.amount || !equalBytes(witnessUtxo.script, spent.script))) {
    throw invalidTransaction('the witness UTXO and the non-witness UTXO of an input disagree');
  }
  return { ...input, proven: true, spent };
}

function requireSound({ inputs, outputs }: Psbt): void {
  if (inputs.length === 0 || outputs.length === 0) throw invalidTransaction('the transaction has no inputs or no outputs');
  if (new Set(inputs.map(({ txId, vout }) => `${bytesToHex(txId)}:${vout}`)).size !== inputs.length) {
    throw invalidTransaction('the transaction spends an output twice');
  }
  const amounts = [...inputs.flatMap(({ spent }) => spent ?? []), ...outputs].map(({ amount }) => amount);
  if (amounts.some((amount) => amount > MAX_SATOSHIS)) throw invalidTransaction('an amount is larger than the bitcoin supply');
}

/** Turns any error of the library into a refusal of the input. Its messages hold only public parts of the input. */
function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ChainError) throw error;
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown reason';
    throw invalidTransaction(`the PSBT is not valid: ${reason}`);
  }
}
