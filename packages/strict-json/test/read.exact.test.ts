import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ExactJsonValue, JsonError, readExactJson } from '../src/index.ts';

const limits = { length: 1_000, depth: 64, values: 1_000, names: 1_000 };
const read = (source: string | Uint8Array) => readExactJson(source, limits);

/** What JSON.parse gives, in the form of the exact reader. */
function exact(value: unknown): ExactJsonValue {
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(exact);
  if (typeof value === 'object' && value !== null) return new Map(Object.entries(value).map(([key, part]) => [key, exact(part)]));
  return value as ExactJsonValue;
}

/** JSON that has one meaning: its numbers are integers that no reader rounds. */
const oneMeaning = fc
  .letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, false),
      fc.maxSafeInteger(),
      fc.string({ unit: 'grapheme' }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 4 }),
    ),
  }))
  .value.chain((value) => fc.nat(3).map((space) => JSON.stringify(value, undefined, space)))
  .filter((text) => text.length <= 900);

describe('readExactJson', () => {
  test('agrees with JSON.parse on JSON that has one meaning', () => {
    fc.assert(
      fc.property(oneMeaning, (text) => {
        expect(read(text)).toEqual(exact(JSON.parse(text)));
      }),
    );
  });

  test('with one character put in, taken out or changed, agrees with JSON.parse or throws a JsonError', () => {
    const parts = fc.constantFrom(
      ...'{}[]",:\\ 0-.eun'.split(''),
      '"a"',
      '\\u0061',
      '\\ud83d',
      '\ud83d',
      'null',
      '"__proto__":1,',
    );
    fc.assert(
      fc.property(oneMeaning, fc.nat(), parts, fc.nat(2), (text, place, part, kind) => {
        const at = place % (text.length + 1);
        const changed = text.slice(0, at) + (kind === 0 ? '' : part) + text.slice(kind === 1 ? at : at + 1);
        const value = attempt(changed);
        if (value !== undefined) expect(value).toEqual(exact(JSON.parse(changed)));
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    '"\\u00e9\\n\\"\\\\\\/"',
    ' [ 1 , -2 , { "a" : null } ] ',
    '{"a":{"a":1}}',
    '[9007199254740991,-9007199254740991,0]',
  ])('%s is read, also from bytes', (text) => {
    expect(read(text)).toEqual(exact(JSON.parse(text)));
    expect(read(Buffer.from(text))).toEqual(exact(JSON.parse(text)));
  });

  test('negative zero is the integer zero', () => {
    expect(read('-0')).toBe(0n);
  });

  test('D03: any name is only a name', () => {
    const text = '{"__proto__":{"polluted":true},"constructor":1,"prototype":2,"a\\u0000":3}';
    expect(read(text)).toEqual(
      new Map<string, ExactJsonValue>([
        ['__proto__', new Map([['polluted', true]])],
        ['constructor', 1n],
        ['prototype', 2n],
        ['a\0', 3n],
      ]),
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test.each([
    ['', 'the text ends too early (at character 0)'],
    ['{"a":1,"a":2}', 'the name "a" is given twice in one object (at character 7)'],
    ['{"a":1,"\\u0061":2}', 'the name "a" is given twice in one object (at character 7)'],
    ['{"__proto__":1,"__proto__":2}', 'the name "__proto__" is given twice in one object (at character 15)'],
    [`{"${'n'.repeat(90)}":1,"${'n'.repeat(90)}":2}`, `the name "${'n'.repeat(80)}" is given twice`],
    ['9007199254740992', 'too large to be kept exactly; send it as a string (at character 0)'],
    ['-9007199254740992', 'too large to be kept exactly'],
    ['9007199254740991.5', 'not a plain integer'],
    ['1.0', 'not a plain integer'],
    ['[1,1e3]', 'this number is not a plain integer (at character 3)'],
    ['01', 'not written as JSON wants it'],
    ['+1', 'a value was expected here'],
    ['.5', 'a value was expected here'],
    ['NaN', 'a value was expected here'],
    ['nul', 'a value was expected here'],
    ['[1,]', 'a value was expected here (at character 3)'],
    ['[1 2]', 'a comma or the end of the array was expected here'],
    ['{"a" 1}', 'a colon was expected here'],
    ['{"a":1,}', 'a name in double quotes was expected here'],
    ['{"a":1 "b":2}', 'a comma or the end of the object was expected here'],
    ['{a:1}', 'a name in double quotes was expected here'],
    ["'a'", 'a value was expected here'],
    ['"a', 'the text ends within a string'],
    ['"a\nb"', 'a control character must be written as an escape'],
    ['"\\x41"', 'this escape is not one that JSON knows'],
    ['"\\ud800"', 'half of a surrogate pair'],
    ['"\ud800"', 'half of a surrogate pair'],
    ['1 1', 'the text goes on after its value'],
    ['\ufeff1', 'byte order mark'],
    ['\u00a01', 'a value was expected here'],
    ['1 // comment', 'the text goes on after its value'],
    ['['.repeat(70), 'values are nested deeper than 64 (at character 64)'],
    ['{"a":'.repeat(70), 'values are nested deeper than 64'],
    ['1'.repeat(999), 'at most 64 characters'],
    [' '.repeat(1_001), 'longer than 1000 characters'],
  ])('D02, D13: %j is refused', (text, reason) => {
    expect(() => read(text)).toThrow(JsonError);
    expect(() => read(text)).toThrow(reason);
  });

  test('limits hold for values and names', () => {
    expect(() => readExactJson('[1,2]', { ...limits, values: 2 })).toThrow('more than 2 values');
    expect(() => readExactJson('{"a":1,"b":2}', { ...limits, names: 1 })).toThrow('more than 1 names');
  });
});

function attempt(text: string): ExactJsonValue | undefined {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
