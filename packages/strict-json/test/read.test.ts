import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultJsonLimits, JsonError, readStrictJson } from '../src/index.ts';

const read = (text: string) => readStrictJson(Buffer.from(text));

function errorTextOf(text: string | Uint8Array, limits = defaultJsonLimits): string {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  try {
    readStrictJson(bytes, limits);
  } catch (error) {
    expect(error).toBeInstanceOf(JsonError);
    return (error as JsonError).message;
  }
  throw new Error('the text was taken');
}

/** Whether a value can be sent at all: the reader refuses inexact numbers and some names. */
function isSendable(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return !names.some((name) => /^(?:__proto__|prototype|constructor)$|\0/.test(name)) && Object.values(value).every(isSendable);
}

describe('output of JSON.stringify is read as JSON.parse reads it', () => {
  test('any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), fc.constantFrom('', ' ', '\t', '\n'), (value, indent) => {
        fc.pre(isSendable(value));
        const text = JSON.stringify(value, null, indent);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('any number within 2^53 - 1', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.double({ noNaN: true }), fc.double({ noNaN: true, min: -1, max: 1 }), fc.maxSafeInteger()),
        (value) => {
          fc.pre(isSendable(value));
          expect(read(JSON.stringify(value))).toBe(value === 0 ? 0 : value);
        },
      ),
    );
  });

  test('every way to escape a string', () => {
    const inHex = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.infiniteStream(fc.boolean()), (value, escaped) => {
        // A pair is escaped as a whole, as every writer does.
        const text = [...value]
          .map((point) => (escaped.next().value ? point.split('').map(inHex).join('') : JSON.stringify(point).slice(1, -1)))
          .join('');
        expect(read(`"${text}"`)).toBe(value);
      }),
    );
  });

  test('a long text, with strings that are copied out of it', () => {
    const value = { name: 'a name', list: Array.from({ length: 500 }, (_, index) => `value ${index} é`), escaped: 'line\nline' };
    expect(read(JSON.stringify(value))).toEqual(value);
  });
});

describe('arbitrary bytes', () => {
  const letters = fc.constantFrom(
    ...'{}[]",:\\/ \t\n0123456789.+-eEaubfnrtls'.split(''),
    '"a"',
    '\\u0061',
    '\\ud83d',
    '\\ude00',
    'null',
    'true',
    'é',
    '"__proto__"',
    '\0',
  );
  const texts = fc.oneof(
    fc.array(letters, { maxLength: 40 }).map((parts) => parts.join('')),
    mutated(),
  );

  test('only JsonError is thrown, and accepted text has the value that JSON.parse gives', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const outcome = attempt(Buffer.from(text));
        if (!(outcome instanceof JsonError)) expect(outcome.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('a string gives what its bytes give, and a fault at the same place', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const [ofBytes, ofString] = [attempt(Buffer.from(text)), attempt(text)];
        if (ofBytes instanceof JsonError && ofString instanceof JsonError) {
          expect(ofBytes.offset).toBe(Buffer.byteLength(text.slice(0, ofString.offset)));
          expect(ofBytes.message).toBe(ofString.message.replace(/at character \d+/, `at byte ${ofBytes.offset}`));
        } else {
          expect(ofString).toEqual(ofBytes);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const outcome = attempt(bytes);
        if (!(outcome instanceof JsonError)) expect(outcome.value).toEqual(JSON.parse(Buffer.from(bytes).toString()));
      }),
    );
  });

  /** Valid JSON with one character inserted, removed or changed. */
  function mutated(): fc.Arbitrary<string> {
    return fc.tuple(fc.json({ maxDepth: 3 }), fc.nat(), letters, fc.nat(2)).map(([text, position, letter, kind]) => {
      const at = position % (text.length + 1);
      return text.slice(0, at) + (kind === 0 ? '' : letter) + text.slice(kind === 1 ? at : at + 1);
    });
  }

  function attempt(source: Uint8Array | string): { readonly value: unknown } | JsonError {
    try {
      return { value: readStrictJson(source) };
    } catch (error) {
      if (error instanceof JsonError) return error;
      throw error;
    }
  }
});

describe('D02: a name given twice is refused', () => {
  test.each([
    ['at the top', '{"organizationId":"a","organizationId":"b"}'],
    ['with the same value', '{"a":1,"a":1}'],
    ['inside parameters', '{"parameters":{"payload":"00","signWith":"k","payload":"01"}}'],
    ['inside an array', '[{"a":1,"a":2}]'],
    ['as an escaped twin', '{"a":1,"\\u0061":2}'],
    ['as an escaped twin in first place', '{"\\u006frganizationId":"a","organizationId":"b"}'],
    ['with a null between', '{"a":null,"b":1,"a":2}'],
    ['as the empty name', '{"":1,"":2}'],
    ['as a name that every object inherits', '{"toString":1,"toString":2}'],
    ['as an index', '{"0":1,"0":2}'],
  ])('%s', (_, text) => {
    expect(errorTextOf(text)).toMatch(/^this name is given twice in one object \(at byte \d+\)$/);
  });

  test('the same name in two objects is accepted, and so is a name that objects inherit', () => {
    expect(read('{"a":{"a":1},"b":{"a":2}}')).toEqual({ a: { a: 1 }, b: { a: 2 } });
    expect(read('{"toString":1,"hasOwnProperty":2}')).toEqual({ toString: 1, hasOwnProperty: 2 });
  });
});

describe('D03: names that reach a prototype are refused, and no object gains a property', () => {
  test.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'constructo\\u0072'])('%s', (name) => {
    expect(errorTextOf(`{"parameters":{"${name}":{"polluted":true}}}`)).toMatch(/^this name is not accepted/);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('D13: the content of a text is limited', () => {
  test.each<[string, string | Uint8Array, RegExp]>([
    ['10,000 arrays within each other', '['.repeat(10_000), /nested deeper than 32/],
    ['10,000 objects within each other', '{"a":'.repeat(10_000), /nested deeper than 32/],
    ['numbers that each take long', `[${'0.1234567890123456,'.repeat(30_000)}0]`, /more than 1000 numbers that are not short/],
    ['a million elements', `[${'0,'.repeat(999_999)}0]`, /more than 100000 values/],
    ['1,001 names', `{${Array.from({ length: 1_001 }, (_, index) => `"n${index}":0`).join()}}`, /more than 1000 names/],
    ['1e400', '1e400', /too large/],
    ['-1e400', '[-1e400]', /too large/],
    ['an integer beyond 2^53', '{"a":9007199254740993}', /too large/],
    ['2^53', '9007199254740992', /too large/],
    ['20 digits', '{"a":18446744073709551615}', /too large/],
    ['1e-400, which would become zero', '1e-400', /more digits/],
    ['more digits than a double keeps', '0.1000000000000000055511151231257827', /more digits/],
    ['an integer written with a lost fraction', '{"a":9007199254740990.3}', /more digits/],
    ['a number of a thousand digits', `0.${'1'.repeat(1_000)}`, /at most 64 characters/],
    ['negative zero', '-0', /negative zero/],
    ['negative zero with an exponent', '{"a":-0.0e5}', /negative zero/],
    ['a lone high surrogate', '"\\ud800"', /half of a surrogate pair/],
    ['a high surrogate before a letter', '"\\ud83dx"', /half of a surrogate pair/],
    ['a high surrogate before another', '"\\ud83d\\ud83d"', /half of a surrogate pair/],
    ['two low surrogates', '"\\ude00\\ude00"', /half of a surrogate pair/],
    ['a lone low surrogate', '"\\ude00"', /half of a surrogate pair/],
    ['a pair the wrong way round', '"\\ude00\\ud83d"', /half of a surrogate pair/],
    ['a lone surrogate in a name', '{"\\udfff":1}', /half of a surrogate pair/],
    ['a surrogate in the bytes', Buffer.from('22eda08022', 'hex'), /not valid UTF-8/],
    ['an overlong slash', Buffer.from('22c0af22', 'hex'), /not valid UTF-8/],
    ['a cut-off sequence', Buffer.from('22e28222', 'hex'), /not valid UTF-8/],
    ['Latin-1', Buffer.from('"é"', 'latin1'), /not valid UTF-8/],
    ['UTF-16', Buffer.from('{}', 'utf16le'), /a name in double quotes/],
    ['a byte order mark', Buffer.from('efbbbf7b7d', 'hex'), /byte order mark/],
    ['a byte order mark inside', '[\ufeff1]', /a value was expected/],
    ['NUL in a name', '{"a\\u0000":1}', /this name is not accepted/],
    ['a raw NUL', '"a\0"', /control character/],
  ])('%s', (_, text, message) => {
    expect(errorTextOf(text)).toMatch(message);
  });

  test('values just within the limits', () => {
    expect(read(`${'['.repeat(32)}${']'.repeat(32)}`)).toBeInstanceOf(Array);
    expect(read('[9007199254740991,-9007199254740991,0.1,1.0,1e2,0.1E+1,0e7]')).toEqual([
      9007199254740991, -9007199254740991, 0.1, 1, 100, 1, 0,
    ]);
    expect(read('"\\ud83d\\ude00 😀"')).toBe('😀 😀');
    expect(read('"a\\u0000b"')).toBe('a\0b');
  });

  test('depth decreases when a value ends', () => {
    const siblings = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? [] : { a: [{}] }));
    expect(read(JSON.stringify(siblings))).toEqual(siblings);
  });

  test('limits can be set', () => {
    const limits = { length: 24, depth: 1, values: 3, longNumbers: 1, names: 2 };
    expect(readStrictJson(Buffer.from('[1,2]'), limits)).toEqual([1, 2]);
    expect(errorTextOf(`[1,${' '.repeat(20)}2]`, limits)).toBe('the text is longer than 24 bytes (at byte 24)');
    expect(readStrictJson(Buffer.from(`[1,${' '.repeat(19)}2]`), limits)).toEqual([1, 2]);
    expect(errorTextOf('[[]]', limits)).toMatch(/nested deeper than 1/);
    expect(errorTextOf('[1,2,3]', limits)).toMatch(/more than 3 values/);
    const short = { ...limits, length: 99, values: 9, depth: 3, text: 3, items: 2 };
    expect(readStrictJson(Buffer.from('{"longer":["abc","\\u0061bc"]}'), short)).toEqual({ longer: ['abc', 'abc'] });
    expect(errorTextOf('["abc","abcd"]', short)).toBe('a text is longer than 3 characters (at byte 7)');
    expect(errorTextOf('[[1,2,3]]', short)).toMatch(/an array has more than 2 items/);
    expect(errorTextOf('[0.5,1e3]', limits)).toMatch(/more than 1 numbers that are not short plain integers/);
    expect(errorTextOf('{"a":1,"b":2,"c":3}', { ...limits, values: 9 })).toMatch(/more than 2 names/);
  });
});

describe('text that is not JSON is refused', () => {
  test.each([
    ['', 'the text ends too early (at byte 0)'],
    ['  ', 'the text ends too early (at byte 2)'],
    ['{"a":', 'the text ends too early (at byte 5)'],
    ['[1', 'a comma or the end of the array was expected here (at byte 2)'],
    ['"abc', 'the text ends within a string (at byte 4)'],
    ['"a\\', 'this escape is not one that JSON knows (at byte 2)'],
    ['"é\\u12', 'this escape is not one that JSON knows (at byte 3)'],
    ['{"a":1,}', 'a name in double quotes was expected here (at byte 7)'],
    ['[1,]', 'a value was expected here (at byte 3)'],
    ['[,1]', 'a value was expected here (at byte 1)'],
    ['{"a" 1}', 'a colon was expected here (at byte 5)'],
    ['{"a":1 "b":2}', 'a comma or the end of the object was expected here (at byte 7)'],
    ["{'a':1}", 'a name in double quotes was expected here (at byte 1)'],
    ['{a:1}', 'a name in double quotes was expected here (at byte 1)'],
    ['{} {}', 'the text goes on after its value (at byte 3)'],
    ['{"é":1}x', 'the text goes on after its value (at byte 8)'],
    ['1 //', 'the text goes on after its value (at byte 2)'],
    ['/**/1', 'a value was expected here (at byte 0)'],
    ['01', 'this number is not written as JSON wants it (at byte 0)'],
    ['[-01]', 'this number is not written as JSON wants it (at byte 1)'],
    ['{"a":00}', 'this number is not written as JSON wants it (at byte 5)'],
    ['1.', 'this number is not written as JSON wants it (at byte 0)'],
    ['1e', 'this number is not written as JSON wants it (at byte 0)'],
    ['.5', 'a value was expected here (at byte 0)'],
    ['+1', 'a value was expected here (at byte 0)'],
    ['-', 'a value was expected here (at byte 0)'],
    ['0x10', 'the text goes on after its value (at byte 1)'],
    ['NaN', 'a value was expected here (at byte 0)'],
    ['Infinity', 'a value was expected here (at byte 0)'],
    ['undefined', 'a value was expected here (at byte 0)'],
    ['True', 'a value was expected here (at byte 0)'],
    ['nul', 'a value was expected here (at byte 0)'],
    ['"\\x41"', 'this escape is not one that JSON knows (at byte 1)'],
    ['"a\nb"', 'a control character must be written as an escape (at byte 2)'],
    ['"\\n\u001f"', 'a control character must be written as an escape (at byte 3)'],
    ['\u00a01', 'a value was expected here (at byte 0)'],
  ])('%j: %s', (text, message) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(errorTextOf(text)).toBe(message);
  });

  test('a fault has its offset in bytes', () => {
    expect(() => read('"😀" 1')).toThrow(expect.objectContaining({ name: 'JsonError', offset: 7, unit: 'byte' }));
  });

  test('no message quotes the text', () => {
    for (const text of ['{"secret":1,"secret":2}', '{"secret":secret}', '["secret" "secret"]', '"secret', '"\\secret"', 'secret'])
      expect(errorTextOf(text)).not.toContain('secret');
  });
});

describe('from a string', () => {
  test.each<[string, string, string]>([
    ['a high surrogate alone', '["\ud800"]', 'this character is half of a surrogate pair (at character 2)'],
    ['a low surrogate alone', '["😀","\ude00"]', 'this character is half of a surrogate pair (at character 7)'],
    ['a pair the wrong way round', '"\ude00\ud83d"', 'this character is half of a surrogate pair (at character 1)'],
    ['half a pair in a name', '{"\udfff":1}', 'this character is half of a surrogate pair (at character 2)'],
    ['a half, and the other as an escape', '"\ud83d\\ude00"', 'this character is half of a surrogate pair (at character 1)'],
    ['half as an escape, and the other half', '"\\ud83d\ude00"', 'this character is half of a surrogate pair (at character 7)'],
    ['a byte order mark', '\ufeff{}', 'the text begins with a byte order mark (at character 0)'],
    [
      'a name twice after others than ASCII',
      '{"😀":1,"a":2,"\\u0061":3}',
      'this name is given twice in one object (at character 14)',
    ],
    ['too much', ' '.repeat(101), 'the text is longer than 100 characters (at character 100)'],
  ])('D02, D13: %s', (_, text, message) => {
    expect(() => readStrictJson(text, { ...defaultJsonLimits, length: 100 })).toThrow(message);
  });

  test('characters beyond ASCII and pairs are read', () => {
    expect(readStrictJson('{"é😀":"€ \\ud83d\\ude00"}', { ...defaultJsonLimits, length: 24 })).toEqual({ 'é😀': '€ 😀' });
  });
});
