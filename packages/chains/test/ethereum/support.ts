import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { ChainError } from '../../src/errors.ts';
import type { EthereumTransaction } from '../../src/ethereum/index.ts';
import { ethereumTransaction } from '../../src/ethereum/index.ts';
import { encodeRlp, type RlpItem } from '../../src/ethereum/rlp.ts';
import type { ContractInterface, ParseContext, SignerKey } from '../../src/transaction.ts';

/** The key of the example in EIP-155. */
export const secret = hexToBytes('46'.repeat(32));
export const signer = signerOf(secret);

export function signerOf(secretKey: Uint8Array): SignerKey {
  return { curve: 'CURVE_SECP256K1', publicKey: secp256k1.getPublicKey(secretKey) };
}

export function contextWith(...interfaces: readonly ContractInterface[]): ParseContext {
  return { signer, interfaces };
}

export function parse(unsigned: string, ...interfaces: readonly ContractInterface[]): EthereumTransaction {
  return ethereumTransaction.parse(unsigned, contextWith(...interfaces));
}

/** Parses, signs and assembles, as the service does. */
export function signWith(secretKey: Uint8Array, unsigned: string): string {
  const key = signerOf(secretKey);
  const parsed = ethereumTransaction.parse(unsigned, { signer: key, interfaces: [] });
  const signatures = ethereumTransaction.signingRequests(parsed, key).map((request) => {
    if (request.kind !== 'ecdsa') throw new Error('an Ethereum transaction asks for ECDSA only');
    const recovered = secp256k1.sign(request.digest, secretKey, { prehash: false, format: 'recovered' });
    return { bytes: recovered.subarray(1), recovery: recovered[0] as 0 | 1 };
  });
  return ethereumTransaction.assemble(parsed, key, signatures);
}

/** The message of the ChainError that `run` throws; anything else fails the test. */
export function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ChainError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was refused');
}

export type Item = string | readonly Item[];

/** RLP of hex strings, behind an optional type byte: `rlp([...], 0x02)`. */
export function rlp(item: Item, prefix?: number): string {
  const body = bytesToHex(encodeRlp(toRlp(item)));
  return prefix === undefined ? body : prefix.toString(16).padStart(2, '0') + body;
}

function toRlp(item: Item): RlpItem {
  return typeof item === 'string' ? hexToBytes(item) : item.map(toRlp);
}
