import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { activities, queries } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { readDenials } from '../src/data/read-denials.ts';
import { words } from '../src/words/index.ts';

const source = new URL('../src', import.meta.url).pathname;
const reasons = queries.getDeniedActivityTypes.output.shape.denials.element.shape.by.options;
const { type } = activities.createWallet;
const lists = ['denials', 'denialsAboutOthers'] as const;
/** What the console takes from a list of an answer. */
const taken = (list: (typeof lists)[number], denials: unknown) =>
  readDenials({ [list]: denials })[list === 'denials' ? 'always' : 'aboutOthers'];

describe('the reasons of denials', () => {
  test.each(reasons)('%s has words of its own', (by) => {
    for (const list of lists)
      expect(taken(list, [{ by, text: 'of the service', types: [type] }]).get(type)).toBe(words.denials[by]);
  });

  test('each reason reads differently', () => {
    expect(new Set(Object.values(words.denials)).size).toBe(reasons.length);
    expect(Object.keys(words.denials).toSorted()).toEqual([...reasons].toSorted());
  });

  test('D1050: only what the answer names is denied, and nothing by an answer of another form', () => {
    const none = [undefined, null, 'text', 7, [], {}];
    const lacking = [{ by: 'POLICY' }, { by: 'POLICY', types: type }, { types: [null, 3, {}] }];
    const everywhere = (answer: unknown) => Object.values(readDenials(answer)).flatMap((reasons) => [...reasons]);
    for (const answer of none) expect(everywhere(answer), JSON.stringify(answer)).toEqual([]);
    const { deleteWallets } = activities;
    for (const list of lists) {
      for (const denials of [null, 'all', [null, 3, 'POLICY'], lacking]) expect(everywhere({ [list]: denials })).toEqual([]);
      const one = [{ by: 'POLICY', text: '', types: [type] }];
      expect([...taken(list, one).keys()]).toEqual([type]);
      expect(taken(list, one).get(deleteWallets.type)).toBeUndefined();
      expect(everywhere({ [list]: one })).toHaveLength(1);
    }
  });

  test('D1050: a reason of a newer service, or one with the name of a property, has the general words', () => {
    for (const by of ['NEWER', 'constructor', 'toString', '__proto__', undefined, 3])
      expect(taken('denials', [{ by, text: 'of the service', types: [type] }]).get(type)).toBe(words.unknownDenial);
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
