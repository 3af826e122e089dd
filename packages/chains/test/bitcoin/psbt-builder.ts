import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { type ScriptKind, scriptKinds } from '../../src/bitcoin/network.ts';
import { ownScripts } from '../../src/bitcoin/own-scripts.ts';
import { publicKey } from './support.ts';

/** A record of a PSBT map: key and value in hex, right or wrong. */
export type Record = readonly [key: string, value: string];

export interface RawPsbt {
  readonly magic?: string;
  readonly global?: readonly Record[];
  readonly inputs?: readonly (readonly Record[])[];
  readonly outputs?: readonly (readonly Record[])[];
  readonly trailing?: string;
}

export interface RawInput {
  readonly txId?: string;
  readonly vout?: number;
  readonly scriptSig?: string;
}

/** A CompactSize of one, three or five bytes. */
export function compactSize(value: number): string {
  if (value < 0xfd) return littleEndian(BigInt(value), 1);
  return value <= 0xffff ? `fd${littleEndian(BigInt(value), 2)}` : `fe${littleEndian(BigInt(value), 4)}`;
}

export function littleEndian(value: bigint, byteLength: number): string {
  return Array.from({ length: byteLength }, (_, index) =>
    Number((value >> BigInt(8 * index)) & 0xffn)
      .toString(16)
      .padStart(2, '0'),
  ).join('');
}

const sized = (hex: string) => compactSize(hex.length / 2) + hex;

const map = (records: readonly Record[]) => `${records.map(([key, value]) => sized(key) + sized(value)).join('')}00`;

export function output(amount: bigint, scriptHex: string): string {
  return littleEndian(amount, 8) + sized(scriptHex);
}

/** A transaction in its form before segwit. Ids are given as they are shown. */
export function rawTransaction(inputs: readonly RawInput[], outputs: readonly string[], version = 2): string {
  const encoded = inputs.map(
    ({ txId = '11'.repeat(32), vout = 0, scriptSig = '' }) =>
      `${reversed(txId)}${littleEndian(BigInt(vout), 4)}${sized(scriptSig)}ffffffff`,
  );
  return `${littleEndian(BigInt.asUintN(32, BigInt(version)), 4)}${compactSize(inputs.length)}${encoded.join('')}${compactSize(outputs.length)}${outputs.join('')}00000000`;
}

const reversed = (hex: string) => bytesToHex(hexToBytes(hex).reverse());

export const txIdOf = (transactionHex: string) => reversed(bytesToHex(sha256(sha256(hexToBytes(transactionHex)))));

/** The scripts of the test key, in hex. */
export const script = Object.fromEntries([...ownScripts(publicKey, scriptKinds)].map(([hex, { kind }]) => [kind, hex])) as {
  readonly [Kind in ScriptKind]: string;
};

/** A previous transaction that pays 1000 satoshis to each script of the test key, in the order of the kinds. */
export const previous = rawTransaction(
  [{ txId: '22'.repeat(32), vout: 7 }],
  scriptKinds.map((kind) => output(1000n, script[kind])),
);

/** The input that spends the output of that kind, and the record that proves it. */
export const spend = (kind: ScriptKind): RawInput => ({ txId: txIdOf(previous), vout: scriptKinds.indexOf(kind) });
export const proof: Record = ['00', previous];
export const witnessUtxo = (amount: bigint, scriptHex: string): Record => ['01', output(amount, scriptHex)];

export function buildPsbt({ magic = '70736274ff', global = [], inputs = [], outputs = [], trailing = '' }: RawPsbt): string {
  return magic + [global, ...inputs, ...outputs].map(map).join('') + trailing;
}

/** A PSBT with one output of 900 satoshis to someone else, and the given inputs with their records. */
export function psbtOf(
  inputs: readonly (readonly [RawInput, ...Record[]])[],
  outputs: readonly string[] = [output(900n, `0014${'33'.repeat(20)}`)],
): string {
  const unsigned = rawTransaction(
    inputs.map(([input]) => input),
    outputs,
  );
  return buildPsbt({
    global: [['00', unsigned]],
    inputs: inputs.map(([, ...records]) => records),
    outputs: outputs.map(() => []),
  });
}
