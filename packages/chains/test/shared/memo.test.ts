import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Memo } from '../../src/shared/memo.ts';

/** A memo of texts in upper case, and every text that was made. */
function counted(max: number) {
  const memo = new Memo<string>(max);
  const made: string[] = [];
  const ask = (text: string) =>
    memo.get(text, () => {
      made.push(text);
      return text.toUpperCase();
    });
  return { ask, made };
}

describe('a memo', () => {
  test('gives what would be made, whatever was asked before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(fc.constantFrom(...'abcdefgh')), (max, texts) => {
        const { ask } = counted(max);
        for (const text of texts) expect(ask(text)).toBe(text.toUpperCase());
      }),
    );
  });

  test('makes a text once, and again after many others', () => {
    const { ask, made } = counted(4);
    for (const text of ['a', 'a', 'b', 'a', 'c', 'd', 'e', 'a']) ask(text);
    expect(made).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
  });

  test('keeps what is asked for again and again', () => {
    const { ask, made } = counted(4);
    for (let index = 0; index < 100; index++) {
      ask('often');
      ask(`once ${index}`);
    }
    expect(made.filter((text) => text === 'often')).toHaveLength(1);
  });

  test('keeps no more than it should, however many texts there are', () => {
    const max = 10;
    const { ask, made } = counted(max);
    const texts = Array.from({ length: 1_000 }, (_, index) => String(index));
    texts.forEach(ask);
    made.length = 0;
    // From the newest on, so that asking pushes out none that are still to be asked for.
    for (const text of texts.toReversed()) ask(text);
    expect(texts.length - made.length).toBeLessThanOrEqual(max);
  });
});
