import { equalBytes } from '@noble/curves/utils.js';
import { sha256 as portableSha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { hash160 } from '../addresses/encodings.ts';
import { concat, fromHexDigits } from '../shared/bytes.ts';
import type { HashEngines } from '../transaction.ts';
import { ByteReader } from './byte-reader.ts';
import { type InputRecords, readInputRecords } from './input-records.ts';
import { readUnsigned } from './psbt.ts';
import { type PsbtMap, readGlobalMap, readMap } from './psbt-maps.ts';
import { ByteWriter } from './serialize.ts';

/**
 * The id of the transaction in a PSBT, in display order. Undefined unless every input is final, or has the signature of the one key that
 * its script names: the id covers the scripts of inputs, and another signature can change them.
 */
export function bitcoinTransactionHash(signed: string, { sha256 = portableSha256 }: HashEngines = {}): string | undefined {
  const bytes = fromHexDigits(signed);
  if (bytes === undefined) return undefined;
  const reader = new ByteReader(bytes);
  const unsigned = readUnsigned(readGlobalMap(reader, Number.POSITIVE_INFINITY));
  const inputs: (typeof unsigned.inputs)[number][] = [];
  for (const input of unsigned.inputs) {
    const finalScriptSig = finalScript(readMap(reader, Number.POSITIVE_INFINITY), input.index);
    if (finalScriptSig === undefined) return undefined;
    inputs.push({ ...input, finalScriptSig });
  }
  const digest = sha256(new ByteWriter().transaction({ ...unsigned, inputs }).hashAndReset(sha256));
  return bytesToHex(digest.toReversed());
}

const EMPTY = new Uint8Array();

/** The script of an input in the final transaction. Undefined if a signature is missing. */
function finalScript(map: PsbtMap, index: number): Uint8Array | undefined {
  const records = readInputRecords(map);
  const { finalScriptSig, finalScriptWitness, tapKeySig, witnessScript, redeemScript } = records;
  if (finalScriptSig !== undefined || finalScriptWitness !== undefined) return finalScriptSig ?? EMPTY;
  const spent = records.witnessUtxo?.script ?? records.nonWitnessUtxo?.outputs[index]?.script;
  if (spent === undefined) return undefined;
  // BIP-341: a version 1 program of 32 bytes.
  if (spent.length === 34 && spent[0] === 0x51) return tapKeySig === undefined ? undefined : EMPTY;
  const isSignedFor = (keyHash: Uint8Array) => records.partialSigners.find((key) => equalBytes(hash160(key), keyHash));
  if (isKeyProgram(spent)) return isSignedFor(spent.subarray(2)) && EMPTY;
  // BIP-143: a version 0 program of 32 bytes, here of a script with one key: its length, the key and OP_CHECKSIG.
  if (spent.length === 34 && spent[0] === 0x00) return isSignedByOne(witnessScript, records) ? EMPTY : undefined;
  if (spent.length === 23 && spent[0] === 0xa9 && redeemScript !== undefined && isKeyProgram(redeemScript))
    return isSignedFor(redeemScript.subarray(2)) && pushed(redeemScript);
  if (spent.length !== 25 || spent[0] !== 0x76) return undefined;
  const key = isSignedFor(spent.subarray(3, 23));
  return key && concat([pushed(signatureOf(map, key)), pushed(key)]);
}

const isKeyProgram = (script: Uint8Array) => script.length === 22 && script[0] === 0x00 && script[1] === 0x14;

function isSignedByOne(script: Uint8Array | undefined, { partialSigners }: InputRecords): boolean {
  return script?.length === 35 && script[34] === 0xac && partialSigners.some((key) => equalBytes(key, script.subarray(1, 34)));
}

/** The value of the record of a partial signature (BIP-174, type 0x02). */
function signatureOf(map: PsbtMap, publicKey: Uint8Array): Uint8Array {
  const found = map.find(({ key }) => key[0] === 0x02 && equalBytes(key.subarray(1), publicKey));
  return found?.value ?? EMPTY;
}

/** Signatures, keys and programs have fewer than 76 bytes, so the length is the operator. */
const pushed = (bytes: Uint8Array) => concat([Uint8Array.of(bytes.length), bytes]);
