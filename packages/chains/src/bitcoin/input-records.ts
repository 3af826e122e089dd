import { ByteReader, malformed } from './byte-reader.ts';
import { type PsbtMap, type PsbtRecord, typedRecords } from './psbt-maps.ts';
import { type PreviousTransaction, readOutput, readPreviousTransaction } from './read-transaction.ts';
import type { Output } from './serialize.ts';

/**
 * The records of an input (BIP-174 and BIP-371) that signing reads or writes. Every field is there, undefined or not: objects of one shape
 * are several times as fast to make and to read.
 */
export interface InputRecords {
  readonly nonWitnessUtxo: PreviousTransaction | undefined;
  readonly witnessUtxo: Output | undefined;
  /** The public keys that have signed. */
  readonly partialSigners: readonly Uint8Array[];
  readonly sighashType: number | undefined;
  readonly redeemScript: Uint8Array | undefined;
  readonly witnessScript: Uint8Array | undefined;
  readonly finalScriptSig: Uint8Array | undefined;
  readonly finalScriptWitness: Uint8Array | undefined;
  readonly tapKeySig: Uint8Array | undefined;
  readonly tapInternalKey: Uint8Array | undefined;
  readonly tapMerkleRoot: Uint8Array | undefined;
}

const PARTIAL_SIG = 0x02;

/** The types of records without further key data. */
const types = {
  nonWitnessUtxo: 0x00,
  witnessUtxo: 0x01,
  sighashType: 0x03,
  redeemScript: 0x04,
  witnessScript: 0x05,
  finalScriptSig: 0x07,
  finalScriptWitness: 0x08,
  tapKeySig: 0x13,
  tapInternalKey: 0x17,
  tapMerkleRoot: 0x18,
} as const satisfies Partial<Record<keyof InputRecords, number>>;

type PlainName = keyof typeof types;

const namesByType = new Map(Object.entries(types).map(([name, type]) => [type as number, name as PlainName]));

/** Outpoint, sequence and lock times (BIP-370). */
const VERSION_2_TYPES = [0x0e, 0x0f, 0x10, 0x11, 0x12];

/** Reads what signing needs. Other records stay in the map, unread. */
export function readInputRecords(map: PsbtMap): InputRecords {
  const plain = new Map<PlainName, Uint8Array>();
  const partialSigners: Uint8Array[] = [];
  for (const { type, data, value } of typedRecords(map, VERSION_2_TYPES)) {
    const name = namesByType.get(type);
    if (name !== undefined) {
      if (data.length > 0) throw malformed('a record with a key that is too long');
      plain.set(name, value);
    } else if (type === PARTIAL_SIG) {
      if (data.length !== 33 && data.length !== 65) throw malformed('a signature without a public key');
      partialSigners.push(data);
    }
  }
  const nonWitnessUtxo = plain.get('nonWitnessUtxo');
  const witnessUtxo = plain.get('witnessUtxo');
  const sighashType = plain.get('sighashType');
  return {
    nonWitnessUtxo: nonWitnessUtxo && readPreviousTransaction(nonWitnessUtxo),
    witnessUtxo: witnessUtxo && readWhole(witnessUtxo, 'a witness UTXO', readOutput),
    partialSigners,
    sighashType: sighashType && readWhole(sighashType, 'a sighash type', readUint32),
    redeemScript: plain.get('redeemScript'),
    witnessScript: plain.get('witnessScript'),
    finalScriptSig: plain.get('finalScriptSig'),
    finalScriptWitness: plain.get('finalScriptWitness'),
    tapKeySig: plain.get('tapKeySig'),
    tapInternalKey: plain.get('tapInternalKey'),
    tapMerkleRoot: plain.get('tapMerkleRoot'),
  };
}

function readUint32(reader: ByteReader): number {
  return reader.uint32();
}

function readWhole<T>(bytes: Uint8Array, what: string, read: (reader: ByteReader) => T): T {
  const reader = new ByteReader(bytes);
  const value = read(reader);
  reader.requireEnd(what);
  return value;
}

/** A record without further key data. */
export function plainRecord(name: PlainName, value: Uint8Array): PsbtRecord {
  return { key: Uint8Array.of(types[name]), value };
}

/** The signature of a public key, with its sighash type. */
export function partialSigRecord(publicKey: Uint8Array, value: Uint8Array): PsbtRecord {
  return { key: Uint8Array.of(PARTIAL_SIG, ...publicKey), value };
}
