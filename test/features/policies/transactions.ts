import { readFileSync } from 'node:fs';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58 } from '@scure/base';

type Rlp = Uint8Array | readonly Rlp[];

/** Recursive Length Prefix, written from the Yellow Paper. It shares no code with the service. */
function encodeRlp(item: Rlp): Buffer {
  if (item instanceof Uint8Array) {
    const bytes = Buffer.from(item);
    if (bytes.length === 1 && (bytes[0] as number) < 0x80) return bytes;
    return Buffer.concat([rlpHead(0x80, bytes.length), bytes]);
  }
  const content = Buffer.concat(item.map(encodeRlp));
  return Buffer.concat([rlpHead(0xc0, content.length), content]);
}

function rlpHead(offset: number, length: number): Buffer {
  if (length < 56) return Buffer.of(offset + length);
  const bytes = integer(BigInt(length));
  return Buffer.concat([Buffer.of(offset + 55 + bytes.length), bytes]);
}

function integer(value: bigint): Buffer {
  const digits = value === 0n ? '' : value.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
}

const hex = (text: string) => Buffer.from(text.replace(/^0x/, ''), 'hex');

/**
 * The fields of an Ethereum transaction that tests vary. A `to` of null creates a contract. A legacy transaction without a chain
 * has no replay protection.
 */
export interface EthereumFields {
  readonly type?: 'legacy' | 2 | 4;
  readonly chainId?: bigint | null;
  readonly nonce?: bigint;
  readonly to?: string | null;
  readonly value?: bigint;
  readonly data?: string;
}

/** An unsigned Ethereum transaction in hexadecimal, EIP-1559 by default. */
export function ethereumTransaction(fields: EthereumFields = {}): string {
  const { type = 2, chainId = 1n, nonce = 0n, to = `0x${'11'.repeat(20)}`, value = 1n, data = '0x' } = fields;
  const call = [hex(to ?? ''), integer(value), hex(data)];
  if (type === 'legacy') {
    const replay = chainId === null ? [] : [integer(chainId), integer(0n), integer(0n)];
    return encodeRlp([integer(nonce), integer(1_000_000_000n), integer(21_000n), ...call, ...replay]).toString('hex');
  }
  const fees = [integer(1_000_000_000n), integer(2_000_000_000n), integer(100_000n)];
  const authorization = [integer(1n), hex('22'.repeat(20)), integer(0n), integer(1n), hex('33'.repeat(32)), hex('44'.repeat(32))];
  const lists = type === 4 ? [[], [authorization]] : [[]];
  return Buffer.concat([
    Buffer.of(type),
    encodeRlp([integer(chainId ?? 0n), integer(nonce), ...fees, ...call, ...lists]),
  ]).toString('hex');
}

/** The digest that is signed for an Ethereum transaction. */
export const ethereumDigest = (unsigned: string) => Buffer.from(keccak_256(hex(unsigned))).toString('hex');

/** Call data of ERC-20 `transfer(address,uint256)`. */
export function erc20Transfer(to: string, amount: bigint): string {
  return `0xa9059cbb${hex(to).toString('hex').padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
}

/** The ABI that names the arguments of `erc20Transfer`. */
export const erc20Abi = JSON.stringify([
  {
    type: 'function',
    name: 'transfer',
    inputs: [
      { name: 'dst', type: 'address' },
      { name: 'wad', type: 'uint256' },
    ],
    outputs: [{ name: '', type: 'bool' }],
    stateMutability: 'nonpayable',
  },
]);

/** An EIP-712 message: the permit of a token. */
export function permit(token: string, spender: string, value: bigint): string {
  const field = (name: string, type: string) => ({ name, type });
  return JSON.stringify({
    types: {
      EIP712Domain: [field('name', 'string'), field('chainId', 'uint256'), field('verifyingContract', 'address')],
      Permit: [field('spender', 'address'), field('value', 'uint256')],
    },
    primaryType: 'Permit',
    domain: { name: 'USD Coin', chainId: 1, verifyingContract: token },
    message: { spender, value: value.toString() },
  });
}

interface Vector {
  readonly name: string;
  readonly unsignedTransaction: string;
  readonly expected: ReturnType<typeof JSON.parse>;
}

function vectorOf(chain: 'solana' | 'tron', name: string): { vector: Vector; signer: { address: string } } {
  const url = new URL(`../../../conformance/transactions/${chain}.json`, import.meta.url);
  const { transactions, signer } = JSON.parse(readFileSync(url, 'utf8'));
  const vector = transactions.find((each: Vector) => each.name === name);
  if (vector === undefined) throw new Error(`no vector of ${chain} is called ${name}`);
  return { vector, signer };
}

/** A transaction of the conformance corpus, rewritten for another sender. */
export function corpusTransaction(chain: 'solana' | 'tron', name: string, address: string): Vector {
  const { vector, signer } = vectorOf(chain, name);
  // Base58Check ends in four bytes of checksum; a Solana address is plain Base58.
  const bytes = (text: string) => Buffer.from(base58.decode(text)).toString('hex', 0, chain === 'tron' ? 21 : 32);
  const unsignedTransaction = vector.unsignedTransaction.replaceAll(bytes(signer.address), bytes(address));
  return { ...vector, unsignedTransaction };
}
