import { concat } from '../shared/bytes.ts';
import { ByteReader, malformed } from './byte-reader.ts';
import type { Output, UnsignedTransaction } from './serialize.ts';

/** The parts of a previous transaction that signing needs. */
export interface PreviousTransaction {
  readonly outputs: readonly Output[];
  /** The bytes without witnesses. Their double SHA-256 is the id. */
  readonly withoutWitnesses: Uint8Array;
}

/** The unsigned transaction of a PSBT. BIP-174: always in the form before segwit. */
export function readUnsignedTransaction(bytes: Uint8Array): UnsignedTransaction {
  const reader = new ByteReader(bytes);
  const version = reader.int32();
  const inputs = readInputs(reader);
  const outputs = readOutputs(reader);
  const lockTime = reader.uint32();
  reader.requireEnd('the unsigned transaction');
  return { version, inputs, outputs, lockTime };
}

/** A previous transaction, with or without witnesses (BIP-144). */
export function readPreviousTransaction(bytes: Uint8Array): PreviousTransaction {
  const reader = new ByteReader(bytes);
  const version = reader.bytes(4);
  // BIP-144: a 0 in place of the number of inputs, then a flag. A transaction without inputs is invalid.
  const hasWitnesses = reader.peek() === 0;
  if (hasWitnesses && reader.bytes(2)[1] !== 1) throw malformed('a previous transaction without inputs');
  const start = reader.position;
  const { length } = readInputs(reader);
  const outputs = readOutputs(reader);
  const end = reader.position;
  if (hasWitnesses) {
    for (let input = 0; input < length; input++) for (let left = reader.compactSize(); left > 0; left--) reader.sized();
  }
  const lockTime = reader.bytes(4);
  reader.requireEnd('a previous transaction');
  return { outputs, withoutWitnesses: hasWitnesses ? concat([version, bytes.subarray(start, end), lockTime]) : bytes };
}

export function readOutput(reader: ByteReader): Output {
  return { amount: reader.uint64(), script: reader.sized() };
}

function readInputs(reader: ByteReader): UnsignedTransaction['inputs'] {
  return times(reader.compactSize(), () => ({
    txid: reader.bytes(32).toReversed(),
    index: reader.uint32(),
    finalScriptSig: reader.sized(),
    sequence: reader.uint32(),
  }));
}

function readOutputs(reader: ByteReader): readonly Output[] {
  return times(reader.compactSize(), () => readOutput(reader));
}

/** SECURITY: the list grows as it is read. A number that the bytes claim reserves no memory. */
function times<T>(count: number, read: () => T): readonly T[] {
  const list: T[] = [];
  for (let index = 0; index < count; index++) list.push(read());
  return list;
}
