import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonValue, parseStrictJson } from '../../src/shared/strict-json.ts';

const parse = (text: string) => parseStrictJson(text, { maxLength: 1_000, refuse: (message) => new SyntaxError(message) });

/** What JSON.parse gives, in the form of the strict reader. */
function strict(value: unknown): JsonValue {
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value).map(([key, part]) => [key, strict(part)]));
  return value as JsonValue;
}

describe('parseStrictJson', () => {
  test('agrees with JSON.parse on JSON that has one meaning', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, true, false),
        fc.maxSafeInteger(),
        fc.string({ unit: 'grapheme' }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 3 }), (json, space) => {
        const text = JSON.stringify(json, undefined, space);
        fc.pre(text.length <= 1_000);
        expect(parse(text)).toEqual(strict(JSON.parse(text)));
      }),
    );
  });

  test.each(['"\\u00e9\\n\\"\\\\\\/"', ' [ 1 , -2 , { "a" : null } ] ', '{"a":{"a":1}}', '-0'])('%s is read', (text) => {
    expect(parse(text)).toEqual(strict(JSON.parse(text)));
  });

  test.each([
    ['', 'not valid JSON'],
    ['{"a":1,"a":2}', 'the key "a" is given twice'],
    ['{"a":1,"\\u0061":2}', 'the key "a" is given twice'],
    ['{"__proto__":1,"__proto__":2}', 'given twice'],
    ['9007199254740992', 'beyond 2^53 - 1'],
    ['-9007199254740992', 'beyond 2^53 - 1'],
    ['9007199254740991.5', 'not a plain integer'],
    ['1.0', 'not a plain integer'],
    ['1e3', 'not a plain integer'],
    ['01', 'text after the end'],
    ['+1', 'not valid JSON'],
    ['.5', 'not valid JSON'],
    ['NaN', 'not valid JSON'],
    ['nul', 'not valid JSON'],
    ['[1,]', 'not valid JSON'],
    ['[1 2]', '"]" is expected'],
    ['{"a" 1}', '":" is expected'],
    ['{"a":1,}', 'a JSON string is expected'],
    ['{a:1}', 'a JSON string is expected'],
    ["'a'", 'not valid JSON'],
    ['"a', 'a JSON string is expected'],
    ['"a\nb"', 'a JSON string is expected'],
    ['"\\x41"', 'a JSON string is expected'],
    ['"\\ud800"', 'half of a surrogate pair'],
    ['1 1', 'text after the end'],
    ['\ufeff1', 'not valid JSON'],
    ['\u00a01', 'not valid JSON'],
    ['1 // comment', 'text after the end'],
    ['['.repeat(70), 'nested more than 64 deep'],
    ['1'.repeat(999), 'beyond 2^53 - 1'],
    [' '.repeat(1_001), 'longer than 1000 characters'],
  ])('D02, D13: %j is refused', (text, reason) => {
    expect(() => parse(text)).toThrow(SyntaxError);
    expect(() => parse(text)).toThrow(reason);
  });
});
