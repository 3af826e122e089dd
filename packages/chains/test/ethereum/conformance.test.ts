import { readFileSync } from 'node:fs';
import type { PolicyValue } from '@countersign/policy';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { ethereumTransaction, parseAuthorization, parseTypedData } from '../../src/ethereum/index.ts';
import type { ContractInterface } from '../../src/transaction.ts';
import { contextWith, parse, refusal, signerOf, signWith } from './support.ts';

interface TransactionVector {
  readonly name: string;
  readonly secretKey: string;
  readonly interfaces: readonly ContractInterface[];
  readonly unsigned: string;
  readonly digest: string;
  readonly signed: string;
  readonly policy: unknown;
  readonly description: string;
  readonly unparsed: readonly string[];
  readonly effects: readonly unknown[];
}

type MessageVector = {
  readonly name: string;
  readonly encoding: keyof typeof readers;
  readonly payload: string;
} & (Pick<TransactionVector, 'digest' | 'policy' | 'description' | 'unparsed' | 'effects'> | { readonly refused: string });

const readers = { PAYLOAD_ENCODING_EIP712: parseTypedData, PAYLOAD_ENCODING_EIP7702_AUTHORIZATION: parseAuthorization };

function vectors<T>(name: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(`../../../../conformance/transactions/${name}.json`, import.meta.url), 'utf8'));
}

/** The form of a policy value in the vector files: an integer is `{"int": "1"}`, a map is `{"map": {…}}`. */
function toJson(value: PolicyValue): unknown {
  if (typeof value === 'bigint') return { int: value.toString() };
  if (value instanceof Map) return { map: Object.fromEntries(Array.from(value, ([key, part]) => [key, toJson(part)])) };
  if (Array.isArray(value)) return value.map(toJson);
  return typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toJson(part)])) : value;
}

describe('conformance/transactions/ethereum.json', () => {
  test.each(vectors<TransactionVector>('ethereum'))('$name', (vector) => {
    const signer = signerOf(hexToBytes(vector.secretKey));
    const parsed = ethereumTransaction.parse(vector.unsigned, { signer, interfaces: vector.interfaces });
    expect(toJson(parsed.policy)).toEqual(vector.policy);
    expect(parsed.description).toBe(vector.description);
    expect(parsed.unparsed).toEqual(vector.unparsed);
    expect(parsed.effects.map((effect) => toJson(effect as never))).toEqual(vector.effects);
    expect(parsed.fullyParsed).toBe(vector.unparsed.length === 0);
    expect(ethereumTransaction.signingRequests(parsed, signer)).toEqual([{ kind: 'ecdsa', digest: hexToBytes(vector.digest) }]);
    expect(signWith(hexToBytes(vector.secretKey), vector.unsigned)).toBe(vector.signed);
  });
});

describe('conformance/transactions/ethereum-refused.json', () => {
  test.each(vectors<{ name: string; unsigned: string; refused: string }>('ethereum-refused'))(
    '$name',
    ({ unsigned, refused }) => {
      expect(refusal(() => parse(unsigned))).toBe(`INVALID_TRANSACTION: ${refused}`);
    },
  );
});

describe('conformance/transactions/ethereum-messages.json', () => {
  test.each(vectors<MessageVector>('ethereum-messages'))('$name', (vector) => {
    const read = () => readers[vector.encoding](vector.payload, contextWith());
    if ('refused' in vector) {
      expect(refusal(read)).toContain(`INVALID_TYPED_DATA: ${vector.refused}`);
      return;
    }
    expect(bytesToHex(read().digest)).toBe(vector.digest);
    expect(toJson(read().policy)).toEqual(vector.policy);
    expect(read().description).toBe(vector.description);
    expect(read().unparsed).toEqual(vector.unparsed);
    expect(read().effects.map((effect) => toJson(effect as never))).toEqual(vector.effects);
  });
});
