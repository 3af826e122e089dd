import { readFileSync } from 'node:fs';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChainError, type ParseContext, readRawPayload, type SignerKey, transactionTypes } from '../../src/index.ts';

type ChainName = 'ETHEREUM' | 'TRON' | 'SOLANA';

const hashFunctions = {
  ETHEREUM: 'HASH_FUNCTION_KECCAK256',
  TRON: 'HASH_FUNCTION_SHA256',
  SOLANA: 'HASH_FUNCTION_NOT_APPLICABLE',
} as const;

interface VectorFile {
  readonly signer: { readonly secretKeyHex: string; readonly publicKeyHex?: string };
  readonly transactions: readonly { readonly name: string; readonly unsignedTransaction: string }[];
}

const parsedFile = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../conformance/transactions/${name}.json`, import.meta.url), 'utf8'));

function read(chain: ChainName): VectorFile {
  const file = parsedFile(chain.toLowerCase());
  if (!Array.isArray(file)) return file;
  const transactions = file.map(({ name, unsigned }) => ({ name, unsignedTransaction: unsigned }));
  return { signer: { secretKeyHex: '46'.repeat(32) }, transactions };
}

function signerOf(chain: ChainName, { signer: { secretKeyHex, publicKeyHex } }: VectorFile): SignerKey {
  if (chain === 'SOLANA') return { curve: 'CURVE_ED25519', publicKey: hexToBytes(publicKeyHex as string) };
  return { curve: 'CURVE_SECP256K1', publicKey: secp256k1.getPublicKey(hexToBytes(secretKeyHex)) };
}

const ethereum = read('ETHEREUM');
const context: ParseContext = { signer: signerOf('ETHEREUM', ethereum), interfaces: [] };
const KECCAK = hashFunctions.ETHEREUM;

describe.each(['ETHEREUM', 'TRON', 'SOLANA'] as const)('D470: the bytes to sign of a transaction on %s', (chain) => {
  const file = read(chain);
  const signer = signerOf(chain, file);
  const where: ParseContext = { signer, interfaces: [] };
  const type = transactionTypes[`TRANSACTION_TYPE_${chain}`];

  test.each(file.transactions)('$name', ({ unsignedTransaction }) => {
    const parsed = type.parse(unsignedTransaction, where);
    const [request] = type.signingRequests(parsed, signer);
    const bytes = request?.kind === 'ed25519' ? request.message : hexToBytes(unsignedTransaction.replace(/^0x/, ''));
    const content = readRawPayload(bytes, hashFunctions[chain], where);
    if (content.kind !== 'TRANSACTION') throw new Error(`it is read as ${content.kind}`);
    const { namespace, policy, effects, fullyParsed } = content.parsed;
    expect({ namespace, policy, effects, fullyParsed }).toEqual({
      namespace: parsed.namespace,
      policy: parsed.policy,
      effects: parsed.effects,
      fullyParsed: parsed.fullyParsed,
    });
    const [again] = type.signingRequests(type.parse(content.unsignedTransaction, where), signer);
    expect(again).toEqual(request);
  });
});

describe('D473: payloads that hide their content', () => {
  const unsigned = hexToBytes(ethereum.transactions[0]?.unsignedTransaction ?? '');
  const kindOf = (bytes: Uint8Array, hash: Parameters<typeof readRawPayload>[1], of = context) =>
    readRawPayload(bytes, hash, of).kind;

  test('a hash of a key whose transactions the service parses', () => {
    expect(kindOf(keccak_256(unsigned), 'HASH_FUNCTION_NO_OP')).toBe('HIDDEN');
    const p256 = { ...context, signer: { curve: 'CURVE_P256', publicKey: new Uint8Array(33) } } as const;
    expect(kindOf(keccak_256(unsigned), 'HASH_FUNCTION_NO_OP', p256)).toBe('OTHER');
  });

  test.each([
    ['an unknown type', '7bc20102', 'HIDDEN'],
    ['an unknown type with a deep list', `7b${'c8c7c6c5c4c3c2c1c0'}`, 'HIDDEN'],
    ['a list of too many fields', `ca${'01'.repeat(10)}`, 'HIDDEN'],
    ['a signed transaction', `c9${'01'.repeat(9)}`, 'HIDDEN'],
    ['an authorization with a zero before its nonce', `05da0194${'22'.repeat(20)}83000001`, 'HIDDEN'],
    ['an authorization', `05d70194${'22'.repeat(20)}80`, 'AUTHORIZATION'],
    ['typed data', `1901${'22'.repeat(64)}`, 'HIDDEN'],
    ['a personal message', bytesToHex(utf8ToBytes('\x19Ethereum Signed Message:\n5hello')), 'OTHER'],
    ['a text', bytesToHex(utf8ToBytes('hello')), 'OTHER'],
    ['a text whose first letter is that of a list', bytesToHex(utf8ToBytes('éab')), 'OTHER'],
    ['a list of two', 'c20102', 'OTHER'],
    ['nothing', '', 'OTHER'],
  ] as const)('Ethereum: %s', (_, hex, kind) => {
    expect(kindOf(hexToBytes(hex), KECCAK)).toBe(kind);
  });

  test('bytes after a transaction make another digest, which is that of no transaction', () => {
    expect(kindOf(Uint8Array.of(...unsigned, 0), KECCAK)).toBe('OTHER');
  });

  test('Bitcoin: a hash of a hash, and the hashes of BIP-341', () => {
    const tag = sha256(utf8ToBytes('TapSighash'));
    expect(kindOf(sha256(unsigned), 'HASH_FUNCTION_SHA256')).toBe('HIDDEN');
    expect(kindOf(Uint8Array.of(...tag, ...tag, 0, 0), 'HASH_FUNCTION_SHA256')).toBe('HIDDEN');
    expect(kindOf(unsigned, 'HASH_FUNCTION_SHA256')).toBe('OTHER');
  });

  test('Solana: another version that names the key, and not an off-chain message', () => {
    const file = read('SOLANA');
    const signer = signerOf('SOLANA', file);
    const where = { signer, interfaces: [] };
    const hash = hashFunctions.SOLANA;
    expect(kindOf(Uint8Array.of(0x81, 1, 0, 0, 1, ...signer.publicKey, 9), hash, where)).toBe('HIDDEN');
    const offChain = Uint8Array.of(0xff, ...utf8ToBytes('solana offchain'), 1, 1, ...signer.publicKey);
    expect(kindOf(offChain, hash, where)).toBe('OTHER');
    expect(kindOf(utf8ToBytes('sign in'), hash, where)).toBe('OTHER');
  });
});

test('no bytes make the reader throw, and what it reads has the digest of the bytes', () => {
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom(...ethereum.transactions).chain(({ unsignedTransaction }) => {
      const bytes = hexToBytes(unsignedTransaction.replace(/^0x/, ''));
      return fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)).map(([at, value]) => bytes.with(at, value));
    }),
  );
  fc.assert(
    fc.property(payload, (bytes) => {
      const content = readRawPayload(bytes, KECCAK, context);
      if (content.kind === 'AUTHORIZATION') expect(content.parsed.digest).toEqual(keccak_256(bytes));
      if (content.kind === 'TRANSACTION') expect(content.unsignedTransaction).toBe(bytesToHex(bytes));
      if (content.kind !== 'OTHER') return;
      expect(() => transactionTypes.TRANSACTION_TYPE_ETHEREUM.parse(bytesToHex(bytes), context)).toThrow(ChainError);
    }),
  );
});
