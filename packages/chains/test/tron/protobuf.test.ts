import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bool, enumOf, hex, int32, int64, message, opaque, text } from '../../src/tron/field-readers.ts';
import { type Content, type MessageSpec, readMessage } from '../../src/tron/protobuf.ts';
import { attempt } from '../solana/attempt.ts';
import { type RawField, varint, wire } from './wire-builder.ts';

const inner: MessageSpec = {
  name: 'Inner',
  fields: [
    { number: 1, name: 'count', reader: int32 },
    { number: 2, name: 'label', reader: text },
  ],
};

/** A message with a field of every kind. */
const outer: MessageSpec = {
  name: 'Outer',
  fields: [
    { number: 1, name: 'amount', reader: int64 },
    { number: 2, name: 'flag', reader: bool },
    { number: 3, name: 'choice', reader: enumOf(['None', 'One', 'Two']) },
    { number: 4, name: 'bytes', reader: hex },
    { number: 5, name: 'kept', reader: opaque, optional: true },
    { number: 6, name: 'single', reader: message(inner), optional: true },
    { number: 17, name: 'several', reader: message(inner), repeated: true },
  ],
};

/** Writes the content of an Inner as protobuf has it: ascending, without defaults. */
const writeInner = ({ count, label }: Content): readonly RawField[] => [
  ...(count === 0n ? [] : [[1, count as bigint] as const]),
  ...(label === '' ? [] : [[2, utf8ToBytes(label as string)] as const]),
];

function writeOuter({ amount, flag, choice, bytes, kept, single, several }: Content): Uint8Array {
  return wire([
    ...(amount === 0n ? [] : [[1, amount as bigint] as const]),
    ...(flag === false ? [] : [[2, 1n] as const]),
    ...(choice === 'None' ? [] : [[3, choice === 'One' ? 1n : 2n] as const]),
    ...(bytes === '' ? [] : [[4, hexToBytes(bytes as string)] as const]),
    ...(kept === undefined ? [] : [[5, hexToBytes(kept as string)] as const]),
    ...(single === undefined ? [] : [[6, writeInner(single as Content)] as const]),
    ...(several as readonly Content[]).map((each) => [17, writeInner(each)] as const),
  ]);
}

const label = fc.oneof(fc.constantFrom('', '\ufeff', '\ufeffx', '\u0000'), fc.string({ unit: 'grapheme', maxLength: 5 }));
const integer = fc.oneof(
  fc.constantFrom(0n, 1n, 127n, 128n),
  fc.bigInt({ min: 0n, max: 300n }),
  fc.bigInt({ min: 0n, max: 1n << 63n }),
);
const innerContent = fc.record({ count: fc.bigInt({ min: 0n, max: (1n << 31n) - 1n }), label });
const hexText = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const content = fc.record(
  {
    amount: fc.bigInt({ min: 0n, max: (1n << 63n) - 1n }),
    flag: fc.boolean(),
    choice: fc.constantFrom('None', 'One', 'Two'),
    bytes: hexText,
    kept: hexText,
    single: innerContent,
    several: fc.array(innerContent, { maxLength: 3 }),
  },
  { requiredKeys: ['amount', 'flag', 'choice', 'bytes', 'several'] },
);

/** Fields in any order and number, with integers that may be padded, and bytes that may be no text. */
const padding = fc.constantFrom(0, 0, 0, 0, 1, 2);
const bytesField = fc.oneof(
  label.map(utf8ToBytes),
  fc.uint8Array({ maxLength: 3 }),
  fc.constantFrom([0xed, 0xa0, 0x80], [0xc0, 0x80]).map((bytes) => Uint8Array.from(bytes)),
);
const innerFields = fc.array(
  fc.oneof(fc.tuple(fc.constant(1), integer, padding), fc.tuple(fc.constant(2), bytesField, padding)),
  { maxLength: 2 },
);
const outerFields = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom(1, 2, 3), integer, padding),
    fc.tuple(fc.constantFrom(4, 5), bytesField, padding),
    fc.tuple(fc.constantFrom(6, 17, 17), innerFields, padding),
  ),
  { maxLength: 4 },
);

describe('D46: a message has one form', () => {
  test('what a writer makes of a content is read as that content', () => {
    fc.assert(
      fc.property(content, (each) => {
        expect(readMessage(writeOuter(each), outer)).toEqual(each);
      }),
    );
  });

  test('whatever is taken is what a writer makes of its content', () => {
    let taken = 0;
    fc.assert(
      fc.property(outerFields, (fields) => {
        const bytes = wire(fields as readonly RawField[]);
        const read = attempt(() => readMessage(bytes, outer));
        if (read === undefined) return;
        taken += 1;
        expect(writeOuter(read)).toEqual(bytes);
      }),
      { numRuns: 5_000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  test.each([
    ['a padded tag', [...varint(8n, 1), 5]],
    ['a tag padded to ten bytes', [...varint(8n, 9), 5]],
    ['an integer padded to ten bytes', [8, ...varint(5n, 9)]],
    ['a padded length of no bytes', [42, 0x80, 0]],
  ])('%s is refused', (_, bytes) => {
    expect(() => readMessage(Uint8Array.from(bytes), outer)).toThrow('Outer is not in canonical protobuf form');
  });

  test('the largest integers are read exactly, and the number of an absurd field is told', () => {
    const max = (1n << 63n) - 1n;
    expect(readMessage(Uint8Array.from([8, ...varint(max)]), outer).amount).toBe(max);
    expect(() => readMessage(Uint8Array.from([8, ...varint(max + 1n)]), outer)).toThrow('negative or too large');
    expect(() => readMessage(Uint8Array.from(varint((1n << 64n) - 1n)), outer)).toThrow(`number ${(1n << 61n) - 1n}`);
  });
});
