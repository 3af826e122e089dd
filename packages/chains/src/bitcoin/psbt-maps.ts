import { bytesToHex } from '@noble/hashes/utils.js';
import { invalidTransaction } from '../shared/refusal.ts';
import { ByteReader, malformed } from './byte-reader.ts';
import { ByteWriter } from './serialize.ts';

/** A record of a PSBT map. The key begins with its type, as a CompactSize. */
export interface PsbtRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export type PsbtMap = readonly PsbtRecord[];

/** The maps of a PSBT of version 0 (BIP-174), with all records as they came. */
export interface PsbtMaps {
  readonly global: PsbtMap;
  readonly inputs: readonly PsbtMap[];
  readonly outputs: readonly PsbtMap[];
}

/** A record with its type read. `data` is the rest of the key. */
export interface TypedRecord {
  readonly type: number;
  readonly data: Uint8Array;
  readonly value: Uint8Array;
}

/** "psbt" and a separator. */
const MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff);

/** Reads the magic and the global map. The rest of the bytes are the maps of inputs and outputs. */
export function readGlobalMap(reader: ByteReader, maxRecords: number): PsbtMap {
  const magic = reader.bytes(MAGIC.length);
  if (MAGIC.some((byte, index) => magic[index] !== byte)) throw malformed('it does not begin with the magic bytes');
  return readMap(reader, maxRecords);
}

/** Reads one map. SECURITY: D355: a step of the work reads a whole map, so `maxRecords` bounds the step. */
export function readMap(reader: ByteReader, maxRecords: number): PsbtMap {
  const records: PsbtRecord[] = [];
  const seen = new Set<string>();
  for (let length = reader.compactSize(); length > 0; length = reader.compactSize()) {
    if (records.length === maxRecords) throw invalidTransaction(`the PSBT has more than ${maxRecords} records in one map`);
    const key = reader.bytes(length);
    const name = bytesToHex(key);
    if (seen.has(name)) throw malformed('a record twice');
    seen.add(name);
    records.push({ key, value: reader.sized() });
  }
  return records;
}

/**
 * The records with their types.
 * SECURITY: `forbidden` are the types that only PSBT version 2 has (BIP-370). They say again, perhaps otherwise, what the
 * unsigned transaction says. None of them has more in its key than the type: with more, it is an unknown record, which BIP-174 has
 * readers pass on.
 */
export function typedRecords(map: PsbtMap, forbidden: readonly number[]): readonly TypedRecord[] {
  return map.map(({ key, value }) => {
    const reader = new ByteReader(key);
    const type = reader.compactSize();
    const data = key.subarray(reader.position);
    if (forbidden.includes(type) && data.length === 0) throw malformed('a record that version 0 does not have');
    return { type, data, value };
  });
}

export function writeMaps({ global, inputs, outputs }: PsbtMaps): Uint8Array {
  const writer = new ByteWriter().bytes(MAGIC);
  for (const map of [global, ...inputs, ...outputs]) {
    for (const { key, value } of map) writer.sized(key).sized(value);
    writer.compactSize(0);
  }
  return writer.done();
}
