import { readFileSync } from 'node:fs';
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { transactionTypes } from '../../src/chains.ts';
import { defaultTokens } from '../../src/effects/default-tokens.ts';
import { parseTypedData } from '../../src/ethereum/index.ts';
import type { ParseContext } from '../../src/transaction.ts';

interface Entry {
  readonly name: string;
  readonly type: keyof typeof transactionTypes | 'EIP-712';
  /** A transaction has its unsigned bytes in hex, and typed data its message. */
  readonly unsigned?: string;
  readonly message?: unknown;
  readonly signer: string;
  readonly addressFormat?: string;
  readonly source: string;
  readonly expected: {
    readonly sentence: string;
    readonly fullyParsed: boolean;
    readonly unparsed: readonly string[];
    readonly effects: readonly { readonly kind: string }[];
  };
}

const { transactions }: { readonly transactions: readonly Entry[] } = JSON.parse(
  readFileSync(new URL('../../../../conformance/effects/transactions.json', import.meta.url), 'utf8'),
);

function read({ type, unsigned, message, signer, addressFormat }: Entry) {
  const curve = type === 'EIP-712' ? 'CURVE_SECP256K1' : transactionTypes[type].curve;
  const key = { curve, publicKey: hexToBytes(signer), ...(addressFormat !== undefined && { addressFormat }) };
  const context: ParseContext = { signer: key, interfaces: [], tokens: defaultTokens };
  if (type === 'EIP-712') return parseTypedData(JSON.stringify(message), context);
  return transactionTypes[type].parse(unsigned ?? '', context);
}

/** As the file writes it: integers of any size are decimal text. */
const asJson = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? part.toString() : part)));

describe('conformance/effects/transactions.json', () => {
  test('has sixty entries with names of their own', () => {
    expect(new Set(transactions.map(({ name }) => name)).size).toBe(60);
    expect(transactions).toHaveLength(60);
  });

  test.each(transactions)('$type: $name', (entry) => {
    const { description, fullyParsed, unparsed, effects } = read(entry);
    expect({ sentence: description, fullyParsed, unparsed, effects: asJson(effects) }).toEqual(entry.expected);
  });

  test('what is not understood is never called fully parsed', () => {
    for (const { name, expected } of transactions) {
      const isUnknown = expected.effects.some(({ kind }) => kind === 'UNKNOWN');
      expect({ name, fullyParsed: expected.fullyParsed }).toEqual({
        name,
        fullyParsed: expected.unparsed.length === 0 && !isUnknown,
      });
    }
  });
});
