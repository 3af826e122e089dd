import { finished } from '@countersign/collections';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { TypedData } from 'ox';
import { describe, expect, test } from 'vitest';
import { parseTypedData, typedDataInSteps } from '../../src/ethereum/index.ts';
import { newRequestBounds } from '../../src/parse-bounds.ts';
import type { ParseContext } from '../../src/transaction.ts';
import { contextWith, refusal } from './support.ts';

const domain = { name: 'Exchange', version: '1', chainId: 1, verifyingContract: `0x${'cc'.repeat(20)}` };

/** Typed data whose message is of the type `M`. */
const typed = (types: Readonly<Record<string, readonly object[]>>, message: object) => ({
  types,
  primaryType: 'M',
  domain,
  message,
});

const list = (type: string, items: readonly unknown[], more = {}) =>
  typed({ M: [{ name: 'list', type }], ...more }, { list: items });

/** The context of new requests, with an engine that counts hashes and hashed bytes. */
function counting(): { readonly context: ParseContext; readonly counted: { hashes: number; bytes: number } } {
  const counted = { hashes: 0, bytes: 0 };
  const keccak256 = (bytes: Uint8Array) => {
    counted.hashes += 1;
    counted.bytes += bytes.length;
    return keccak_256(bytes);
  };
  return { context: { ...contextWith(), bounds: newRequestBounds, keccak256 }, counted };
}

/** Ninety-eight types that refer to each other, so that the hash of each covers the text of all of them. */
function entangled() {
  const names = Array.from({ length: 98 }, (_, at) => `T${at}`);
  const long = Array.from({ length: 2_500 }, (_, at) => ({ name: `z${at}`, type: 'bool[]' }));
  const types = Object.fromEntries(names.map((name, at) => [name, [{ name: 'all', type: 'M[]' }, ...(at === 0 ? long : [])]]));
  const value = (at: number) => ({ all: [], ...(at === 0 && Object.fromEntries(long.map(({ name }) => [name, []]))) });
  const message = Object.fromEntries(names.map((name, at) => [`m${name}`, value(at)]));
  return typed({ M: names.map((name) => ({ name: `m${name}`, type: name })), ...types }, message);
}

describe('the work of hashing typed data', () => {
  test.each([
    ['empty strings', list('string[]', Array(42_000).fill(''))],
    ['empty bytes', list('bytes[]', Array(25_000).fill('0x'))],
    ['empty lists', list('uint8[][]', Array(42_000).fill([]))],
    ['empty structs', list('E[]', Array(42_000).fill({}), { E: [] })],
    ['small integers', list('uint8[]', Array(62_000).fill(1))],
    ['entangled types', entangled()],
  ])('D354: %s in 131,072 characters are refused before most of them are hashed', (_, data) => {
    const { context, counted } = counting();
    const text = JSON.stringify(data);
    expect(text.length).toBeLessThan(131_072);
    expect(refusal(() => parseTypedData(text, context))).toContain('more than 16384 values and blocks to hash');
    expect(counted.hashes).toBeLessThanOrEqual(newRequestBounds.typedDataWork);
    expect(counted.bytes).toBeLessThanOrEqual(newRequestBounds.typedDataWork * 136);
  });

  const item = [
    { name: 'itemType', type: 'uint8' },
    { name: 'token', type: 'address' },
    { name: 'identifierOrCriteria', type: 'uint256' },
    { name: 'startAmount', type: 'uint256' },
    { name: 'endAmount', type: 'uint256' },
  ];
  const offered = (at: number) => ({
    itemType: 3,
    token: `0x${at.toString(16).padStart(40, 'e')}`,
    identifierOrCriteria: at,
    startAmount: 1,
    endAmount: 1,
  });

  test.each([
    [
      '900 items of an order',
      list(
        'OfferItem[]',
        Array.from({ length: 900 }, (_, at) => offered(at)),
        { OfferItem: item },
      ),
    ],
    [
      '1,000 addresses',
      list(
        'address[]',
        Array.from({ length: 1_000 }, (_, at) => `0x${at.toString(16).padStart(40, 'd')}`),
      ),
    ],
    [
      '1,000 texts',
      list(
        'string[]',
        Array.from({ length: 1_000 }, (_, at) => `text ${at}`),
      ),
    ],
    ['1,000 lists of integers', list('uint256[][]', Array(1_000).fill([1, 2, 3, 4]))],
    ['a text of 100,000 characters', typed({ M: [{ name: 'text', type: 'string' }] }, { text: 'x'.repeat(100_000) })],
  ])('%s are within the bound, and have the digest that ox computes', (_, data) => {
    const { context } = counting();
    const { digest } = parseTypedData(JSON.stringify(data), context);
    expect(`0x${bytesToHex(digest)}`).toBe(TypedData.getSignPayload(data as never));
  });

  test('D354: the work is done in steps of about 64 values and blocks', () => {
    const { context, counted } = counting();
    const steps = typedDataInSteps(JSON.stringify(list('string[]', Array(5_000).fill(''))), context);
    let most = 0;
    let count = 0;
    for (let before = 0; steps.next().done !== true; before = counted.hashes) {
      most = Math.max(most, counted.hashes - before);
      count += 1;
    }
    expect(most).toBeLessThanOrEqual(64);
    expect(count).toBeGreaterThan(150);
  });

  test('a stored message is read without the bound, as it was when it was accepted', () => {
    const text = JSON.stringify(list('string[]', Array(20_000).fill('')));
    const { digest } = finished(typedDataInSteps(text, contextWith()));
    expect(`0x${bytesToHex(digest)}`).toBe(TypedData.getSignPayload(JSON.parse(text)));
  });
});
