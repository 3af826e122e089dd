import { describe, expect, test } from 'vitest';
import { createKeptAnswers } from '../../src/pipeline/kept-answers.ts';
import { WrittenJson } from '../../src/wire/written-json.ts';

const answerOf = (bytes: number) => new WrittenJson<string>([new Uint8Array(bytes)]);

/** Makes answers, and counts them. */
function maker(bytes: number, mayKeep = true) {
  const made = { times: 0 };
  const make = async () => {
    made.times += 1;
    return { answer: answerOf(bytes), mayKeep };
  };
  return { made, make };
}

describe('kept answers', () => {
  test('are made once for a key', async () => {
    const kept = createKeptAnswers();
    const { made, make } = maker(10);
    const first = await kept.get('a', make);
    expect(await kept.get('a', make)).toBe(first);
    expect(made.times).toBe(1);
    await kept.get('b', make);
    expect(made.times).toBe(2);
  });

  test('who asks meanwhile gets the one that is being written', async () => {
    const kept = createKeptAnswers();
    const { made, make } = maker(10, false);
    const [first, second] = await Promise.all([kept.get('a', make), kept.get('a', make)]);
    expect(first).toBe(second);
    expect(made.times).toBe(1);
    // It was not of the state that the key names.
    await kept.get('a', make);
    expect(made.times).toBe(2);
  });

  test('a failure is told to whoever asked first. The others try themselves', async () => {
    const kept = createKeptAnswers();
    const fail = () => Promise.reject(new Error('no'));
    const { made, make } = maker(10);
    const [first, second, third] = await Promise.allSettled([kept.get('a', fail), kept.get('a', fail), kept.get('a', make)]);
    expect([first.status, second.status, third.status]).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(made.times).toBe(1);
  });

  test('D250: they take no more memory than they may, and one that is too large is not kept', async () => {
    const kept = createKeptAnswers(10_000);
    const large = maker(8_000);
    await kept.get('a', large.make);
    await kept.get('b', large.make);
    await kept.get('a', large.make);
    expect(large.made.times).toBe(3);
    const tooLarge = maker(20_000);
    await kept.get('c', tooLarge.make);
    await kept.get('c', tooLarge.make);
    expect(tooLarge.made.times).toBe(2);
  });
});
