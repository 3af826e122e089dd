import { mapInSteps, type Steps } from '@countersign/collections';
import { equalBytes } from '@noble/curves/utils.js';
import { sha256 as portableSha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { fromHexDigits, withoutPrefix } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import type { Hash, ParseContext } from '../transaction.ts';
import { ByteReader, malformed } from './byte-reader.ts';
import { type InputRecords, readInputRecords } from './input-records.ts';
import { type PsbtMap, type PsbtMaps, readGlobalMap, readMap, typedRecords } from './psbt-maps.ts';
import { readUnsignedTransaction } from './read-transaction.ts';
import { requireShapes } from './record-shapes.ts';
import type { Output, UnsignedTransaction } from './serialize.ts';

/** One input and what the PSBT says about it. */
export interface Input {
  /** In display order, the reverse of the order in which it is hashed and sent. */
  readonly txId: Uint8Array;
  readonly vout: number;
  readonly sequence: number;
  readonly records: InputRecords;
  /** The output that this input spends, if the PSBT says so. */
  readonly spent: Output | undefined;
  /** Whether the whole previous transaction proves `spent`: its hash is the outpoint. */
  readonly proven: boolean;
}

/** The parts of a transaction that signatures commit to. */
export interface Unsigned {
  readonly version: number;
  readonly lockTime: number;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
}

/** A PSBT after parsing and checks. */
export interface Psbt extends Unsigned {
  readonly maps: PsbtMaps;
}

/** As hex, this still fits a request. */
const MAX_PSBT_BYTES = 500_000;
/** Nodes do not relay a heavier transaction (Bitcoin Core, MAX_STANDARD_TX_WEIGHT). A byte outside of witnesses weighs four. */
const MAX_UNSIGNED_BYTES = 400_000 / 4;
/** Each legacy signature hashes the whole transaction again, so time grows with the square of the inputs. */
const MAX_INPUTS = 500;
const MAX_SATOSHIS = 21_000_000n * 100_000_000n;

/** The type of the record with the unsigned transaction. */
export const UNSIGNED_TRANSACTION = 0x00;
const VERSION = 0xfb;
/** Version, lock time, counts and flags of the transaction (BIP-370). */
const GLOBAL_VERSION_2_TYPES = [0x02, 0x03, 0x04, 0x05, 0x06];
/** Amount and script (BIP-370). */
const OUTPUT_VERSION_2_TYPES = [0x03, 0x04];

/**
 * Reads a PSBT of version 0 (BIP-174) from hex. Keeps the records that signing does not read, as they are.
 * Checks what each input claims to spend: a previous transaction must hash to the outpoint, and the two ways to state the
 * spent output must agree.
 */
export function* readPsbt(
  hex: string,
  { sha256 = portableSha256, bounds }: Pick<ParseContext, 'sha256' | 'bounds'>,
): Steps<Psbt> {
  const maxRecords = bounds?.psbtMapRecords ?? Number.POSITIVE_INFINITY;
  const digits = withoutPrefix(hex);
  if (digits.length > 2 * MAX_PSBT_BYTES) throw invalidTransaction(`the PSBT is longer than ${MAX_PSBT_BYTES} bytes`);
  const bytes = fromHexDigits(digits);
  if (bytes === undefined) throw invalidTransaction('the PSBT is not hex');
  const reader = new ByteReader(bytes);
  const global = readGlobalMap(reader, maxRecords);
  const { version, lockTime, inputs, outputs } = readUnsigned(global);
  const readMaps = (of: readonly unknown[]) => mapInSteps(of, () => readMap(reader, maxRecords));
  const maps = { global, inputs: yield* readMaps(inputs), outputs: yield* readMaps(outputs) };
  reader.requireEnd('the PSBT, which has one map for each input and output');
  for (const map of maps.outputs) typedRecords(map, OUTPUT_VERSION_2_TYPES);
  yield* mapInSteps(maps.inputs, (map) => requireShapes(map, 'input'));
  yield* mapInSteps(maps.outputs, (map) => requireShapes(map, 'output'));
  const read = yield* mapInSteps(inputs, (input, index) => readInput(input, maps.inputs[index] as PsbtMap, sha256));
  const psbt = { maps, version, lockTime, inputs: read, outputs };
  requireSound(psbt);
  return psbt;
}

/** The unsigned transaction in the global map of a PSBT. */
export function readUnsigned(global: PsbtMap): UnsignedTransaction {
  const records = typedRecords(global, GLOBAL_VERSION_2_TYPES);
  const plain = (wanted: number) => {
    const found = records.filter(({ type }) => type === wanted);
    if (found.some(({ data }) => data.length > 0)) throw malformed('a record with a key that is too long');
    return found[0]?.value;
  };
  const version = plain(VERSION);
  if (version !== undefined && !equalBytes(version, new Uint8Array(4))) throw malformed('only version 0 is supported');
  const bytes = plain(UNSIGNED_TRANSACTION);
  if (bytes === undefined) throw malformed('it has no unsigned transaction');
  if (bytes.length > MAX_UNSIGNED_BYTES) throw invalidTransaction('the transaction is larger than nodes relay');
  const unsigned = readUnsignedTransaction(bytes);
  if (unsigned.inputs.some(({ finalScriptSig }) => finalScriptSig.length > 0)) {
    throw invalidTransaction('the unsigned transaction of the PSBT carries signatures');
  }
  if (unsigned.inputs.length > MAX_INPUTS) throw invalidTransaction(`the transaction has more than ${MAX_INPUTS} inputs`);
  return unsigned;
}

function readInput({ txid, index, sequence }: UnsignedTransaction['inputs'][number], map: PsbtMap, sha256: Hash): Input {
  const records = readInputRecords(map);
  const { witnessUtxo, nonWitnessUtxo } = records;
  if (nonWitnessUtxo === undefined) return { txId: txid, vout: index, sequence, records, spent: witnessUtxo, proven: false };
  // SECURITY: without this check a wrong amount in a legacy input would only show as a lost fee.
  if (!equalBytes(sha256(sha256(nonWitnessUtxo.withoutWitnesses)).reverse(), txid)) {
    throw invalidTransaction('a previous transaction does not match the outpoint of its input');
  }
  const spent = nonWitnessUtxo.outputs[index];
  if (spent === undefined) throw invalidTransaction('an input spends an output that its previous transaction does not have');
  if (witnessUtxo && (witnessUtxo.amount !== spent.amount || !equalBytes(witnessUtxo.script, spent.script))) {
    throw invalidTransaction('the witness UTXO and the non-witness UTXO of an input disagree');
  }
  return { txId: txid, vout: index, sequence, records, spent, proven: true };
}

function requireSound({ inputs, outputs }: Unsigned): void {
  if (inputs.length === 0 || outputs.length === 0) throw invalidTransaction('the transaction has no inputs or no outputs');
  if (new Set(inputs.map(({ txId, vout }) => `${bytesToHex(txId)}:${vout}`)).size !== inputs.length) {
    throw invalidTransaction('the transaction spends an output twice');
  }
  const tooLarge = (output: Output | undefined) => output !== undefined && output.amount > MAX_SATOSHIS;
  if (inputs.some(({ spent }) => tooLarge(spent)) || outputs.some(tooLarge))
    throw invalidTransaction('an amount is larger than the bitcoin supply');
}
