import { createHash } from 'node:crypto';
import { bech32, bech32m } from '@scure/base';
import type { Normalizers } from '../../src/check/options.ts';
import { keccak256 } from './keccak.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Canonical forms of the corpus: lower-case hex for Ethereum, base58 for Solana and Tron, the address of every network for Bitcoin. */
export const normalizers: Normalizers = { ethereum, solana, tron, bitcoin };

function ethereum(text: string): string | undefined {
  const digits = /^(?:0[xX])?([0-9a-fA-F]{40})$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const lower = digits.toLowerCase();
  const oneCase = digits === lower || digits === digits.toUpperCase();
  return oneCase || digits === checksum(lower) ? `0x${lower}` : undefined;
}

/** EIP-55. */
function checksum(lower: string): string {
  const hash = Buffer.from(keccak256(new TextEncoder().encode(lower))).toString('hex');
  return [...lower]
    .map((digit, index) => (Number.parseInt(hash[index] as string, 16) >= 8 ? digit.toUpperCase() : digit))
    .join('');
}

function solana(text: string): string | undefined {
  return decodeBase58(text)?.length === 32 ? text : undefined;
}

function tron(text: string): string | undefined {
  if (/^41[0-9a-fA-F]{40}$/.test(text)) return encodeBase58(withChecksum(Buffer.from(text, 'hex')));
  const bytes = decodeBase58(text);
  if (bytes?.length !== 25 || bytes[0] !== 0x41) return undefined;
  return withChecksum(bytes.subarray(0, 21)).equals(bytes) ? text : undefined;
}

/** Version bytes and prefixes of the main and the test networks. Entries at the same index correspond. */
const hashVersions = [
  [0x00, 0x6f],
  [0x05, 0xc4],
];
const prefixes = ['bc', 'tb', 'bcrt'];

function bitcoin(text: string): readonly string[] | undefined {
  const bytes = decodeBase58(text);
  if (bytes?.length === 25 && withChecksum(bytes.subarray(0, 21)).equals(bytes)) {
    const versions = hashVersions.find((each) => each.includes(bytes[0] as number));
    return versions?.map((version) => encodeBase58(withChecksum(Buffer.of(version, ...bytes.subarray(1, 21)))));
  }
  for (const [version, coder, lengths] of [
    [0, bech32, [20, 32]],
    [1, bech32m, [32]],
  ] as const) {
    const decoded = coder.decodeUnsafe(text);
    if (decoded === undefined || decoded.words[0] !== version || !prefixes.includes(decoded.prefix)) continue;
    const length = coder.fromWordsUnsafe(decoded.words.slice(1))?.length;
    if (lengths.some((each) => each === length)) return prefixes.map((prefix) => coder.encode(prefix, decoded.words));
  }
  return undefined;
}

function withChecksum(payload: Uint8Array): Buffer {
  const once = createHash('sha256').update(payload).digest();
  return Buffer.concat([payload, createHash('sha256').update(once).digest().subarray(0, 4)]);
}

function decodeBase58(text: string): Buffer | undefined {
  if (text === '' || text.length > 64 || ![...text].every((character) => alphabet.includes(character))) return undefined;
  const value = [...text].reduce((sum, character) => sum * 58n + BigInt(alphabet.indexOf(character)), 0n);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const hex = value === 0n ? '' : value.toString(16);
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')]);
}

function encodeBase58(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = alphabet[Number(value % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros) + text;
}
