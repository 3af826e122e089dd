import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvText } from '../src/output/csv.ts';
import { renderFields, renderRecords } from '../src/render.ts';
import { nextCommand, shellQuote } from '../src/shell-quote.ts';
import { jsonText, printable } from '../src/terminal.ts';

const options = { columns: 60, paint: (_: string, text: string) => text };

describe('renderFields', () => {
  test('aligns values, shows times as dates and omits undefined fields', () => {
    const fields = { id: 'k1', createdAt: { seconds: '0', nanos: '0' }, name: undefined, failure: null, tags: [], result: {} };
    expect(renderFields(fields, options)).toMatchInlineSnapshot(`
      "id         k1
      createdAt  1970-01-01T00:00:00Z
      tags       none
      result     none"
    `);
  });

  test('nests objects and lists below their names', () => {
    const fields = { quorum: { threshold: 2, userIds: ['u1', 'u2'] }, accounts: [{ path: 'm/0', address: '0x1' }] };
    expect(renderFields(fields, options)).toMatchInlineSnapshot(`
      "quorum
        threshold  2
        userIds
          u1
          u2
      accounts
        path  address
        m/0   0x1"
    `);
  });
});

describe('renderRecords', () => {
  test('A72: escapes control characters in field names and values', () => {
    const hostile = [{ 'a\u001b[2J': '1', '\u202eb': '2' }, { c: '3' }];
    for (const text of [renderRecords(hostile, options), renderFields({ hostile }, options), csvText(hostile)])
      expect(text).not.toMatch(/\p{Cf}|(?![\r\n])\p{Cc}/u);
  });

  test('is a table if it fits, else blocks', () => {
    const records = [{ id: 'a', name: 'short' }, { id: 'b' }];
    expect(renderRecords(records, options)).toBe('id  name\na   short\nb');
    expect(renderRecords([{ id: 'a', name: 'n'.repeat(70) }, { id: 'b' }], options)).toBe(
      `id    a\nname  ${'n'.repeat(70)}\n\nid  b`,
    );
    expect(renderRecords([{ id: 'a', nested: { x: 1 } }], options)).toBe('id  a\nnested\n  x  1');
  });
});

describe('text of a server cannot control a terminal', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
  const control = /[\u0000-\u001f\u007f-\u009f\u202e]/;

  test('escapes control characters', () => {
    expect(printable('a\u001b[2Jb\u202ec')).toBe('a\\u001b[2Jb\\u202ec');
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !control.test(printable(text))));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => !control.test(renderFields({ name }, options))));
  });

  test('JSON preserves its value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = jsonText(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text).not.toMatch(control);
      }),
    );
  });
});

test('a shell parses quoted words back', () => {
  expect(nextCommand(['serve', '--data-dir', "it's here"])).toBe(`npx countersign serve --data-dir 'it'\\''s here'`);
  expect(shellQuote('')).toBe("''");
  expect(shellQuote('/var/lib/data')).toBe('/var/lib/data');
});
