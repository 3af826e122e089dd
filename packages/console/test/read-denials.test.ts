import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { activities, queries } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { readDenials } from '../src/data/read-denials.ts';
import { words } from '../src/words/index.ts';

const source = new URL('../src', import.meta.url).pathname;
const reasons = queries.getDeniedActivityTypes.output.shape.denials.element.shape.by.options;
const { type } = activities.createWallet;

describe('the reasons of denials', () => {
  test.each(reasons)('%s has words of its own', (by) => {
    expect(readDenials({ denials: [{ by, text: 'of the service', types: [type] }] }).get(type)).toBe(words.denials[by]);
  });

  test('each reason reads differently', () => {
    expect(new Set(Object.values(words.denials)).size).toBe(reasons.length);
    expect(Object.keys(words.denials).toSorted()).toEqual([...reasons].toSorted());
  });

  test('D1050: only what the answer names is denied, and nothing by an answer of another form', () => {
    const answers = [undefined, null, 'text', 7, [], {}, { denials: null }, { denials: 'all' }, { denials: [null, 3, 'POLICY'] }];
    for (const answer of [...answers, { denials: [{ by: 'POLICY' }, { by: 'POLICY', types: type }, { types: [null, 3, {}] }] }])
      expect([...readDenials(answer)], JSON.stringify(answer)).toEqual([]);
    const { deleteWallets } = activities;
    expect([...readDenials({ denials: [{ by: 'POLICY', text: '', types: [type] }] }).keys()]).toEqual([type]);
    expect(readDenials({ denials: [{ by: 'POLICY', text: '', types: [type] }] }).get(deleteWallets.type)).toBeUndefined();
  });

  test('D1050: a reason of a newer service, or one with the name of a property, has the general words', () => {
    for (const by of ['NEWER', 'constructor', 'toString', '__proto__', undefined, 3])
      expect(readDenials({ denials: [{ by, text: 'of the service', types: [type] }] }).get(type)).toBe(words.unknownDenial);
  });
});

/** What every file of the console contains. */
const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(join(source, name), 'utf8'));
const all = (pattern: RegExp) => texts.flatMap((text) => [...text.matchAll(pattern)].map(([, found = '']) => found));

test('every activity that a page submits has a button that knows whether it is denied', () => {
  const submitted = [...all(/useSubmit\(\s*'(\w+)'/g), ...all(/writer\.(\w+)\(/g)].filter((name) => name in activities);
  const explained = all(/\b(?:submits|sends)(?:="|=\{| = |: )([^}>;]*)/g).flatMap((text) => text.match(/\w+/g) ?? []);
  // The second step of an import follows the first, and votes are never denied.
  const others = ['importWallet', 'importPrivateKey', 'importSecrets', 'approveActivity', 'rejectActivity'];
  expect(submitted.length).toBeGreaterThan(60);
  expect(submitted.filter((name) => !explained.includes(name) && !others.includes(name))).toEqual([]);
});
