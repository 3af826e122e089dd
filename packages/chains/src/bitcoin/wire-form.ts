import { bytesToHex } from '@noble/hashes/utils.js';
import { concat, fromHexDigits } from '../shared/bytes.ts';
import { ByteReader, malformed } from './byte-reader.ts';
import { readInputRecords } from './input-records.ts';
import { readUnsigned } from './psbt.ts';
import { type PsbtMap, readGlobalMap, readMap } from './psbt-maps.ts';
import { ByteWriter } from './serialize.ts';

interface FinalInput {
  readonly scriptSig: Uint8Array;
  readonly witness: readonly Uint8Array[];
}

const EMPTY = new Uint8Array();

/**
 * The transaction of a signed PSBT as nodes take it, in hexadecimal (BIP-144). One key has signed all inputs, and each is of segwit.
 * Throws ChainError otherwise.
 */
export function bitcoinWireForm(signed: string): string {
  const bytes = fromHexDigits(signed);
  if (bytes === undefined) throw malformed('it is not hex');
  const reader = new ByteReader(bytes);
  const { version, inputs, outputs, lockTime } = readUnsigned(readGlobalMap(reader, Number.POSITIVE_INFINITY));
  const finals = inputs.map((_, index) => finalInput(readMap(reader, Number.POSITIVE_INFINITY), index));
  const writer = new ByteWriter().uint32(version).bytes(Uint8Array.of(0, 1)).compactSize(inputs.length);
  inputs.forEach(({ txid, index, sequence }, at) => {
    writer
      .outpoint(txid, index)
      .sized((finals[at] as FinalInput).scriptSig)
      .uint32(sequence);
  });
  writer.compactSize(outputs.length).outputs(outputs);
  for (const { witness } of finals) {
    writer.compactSize(witness.length);
    for (const item of witness) writer.sized(item);
  }
  return bytesToHex(writer.uint32(lockTime).done());
}

function finalInput(map: PsbtMap, index: number): FinalInput {
  const { tapKeySig, redeemScript, witnessScript, partialSigners } = readInputRecords(map);
  if (tapKeySig !== undefined) return { scriptSig: EMPTY, witness: [tapKeySig] };
  const [key, ...others] = partialSigners;
  // The value of the record of a partial signature (BIP-174, type 0x02).
  const signature = map.find((record) => record.key[0] === 0x02)?.value;
  if (key === undefined || signature === undefined || others.length > 0)
    throw malformed(`input ${index} has not exactly one signature`);
  if (witnessScript !== undefined) return { scriptSig: EMPTY, witness: [signature, witnessScript] };
  const scriptSig = redeemScript === undefined ? EMPTY : concat([Uint8Array.of(redeemScript.length), redeemScript]);
  return { scriptSig, witness: [signature, key] };
}
