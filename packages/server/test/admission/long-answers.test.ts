import { describe, expect, test } from 'vitest';
import { createLongAnswers, type LongAnswer } from '../../src/admission/long-answers.ts';

const LONG = 300_000;

/** On a busy machine a step may have lasted for a slice, and then goes on in a later turn of the loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Begins an answer, and tells when it may go on with what it holds. */
function start(answer: LongAnswer, characters: number) {
  const state = { goesOn: false, answer };
  void Promise.resolve(answer.endSlice(characters)).then(() => {
    state.goesOn = true;
  });
  return state;
}

describe('D250: answers that hold much', () => {
  test('a few go on at a time, and the next one when one is over', async () => {
    const answers = createLongAnswers(2);
    const states = [1, 2, 3, 4].map(() => start(answers.begin('a'), LONG));
    const going = async () => {
      await settled();
      return states.map(({ goesOn }) => goesOn);
    };
    expect(await going()).toEqual([true, true, false, false]);
    states[1]?.answer.end();
    expect(await going()).toEqual([true, true, true, false]);
    states[0]?.answer.end();
    states[2]?.answer.end();
    expect(await going()).toEqual([true, true, true, true]);
    states[3]?.answer.end();
    // All places are free again.
    const later = [5, 6, 7].map(() => start(answers.begin('a'), LONG));
    await settled();
    expect(later.map(({ goesOn }) => goesOn)).toEqual([true, true, false]);
  });

  test('organizations take turns', async () => {
    const answers = createLongAnswers(1);
    const [first, ...rest] = ['a', 'a', 'a', 'b'].map((owner) => start(answers.begin(owner), LONG));
    await settled();
    const order: number[] = [];
    for (let running = first; running !== undefined; ) {
      running.answer.end();
      await settled();
      const next = rest.findIndex(({ goesOn }, index) => goesOn && !order.includes(index));
      if (next !== -1) order.push(next);
      running = rest[next];
    }
    // The one of the other organization came last, and goes on before the second that waited.
    expect(order).toEqual([0, 2, 1]);
  });

  test('what is short waits for nobody, in however many steps it is made', async () => {
    const answers = createLongAnswers(1);
    start(answers.begin('a'), LONG);
    start(answers.begin('a'), LONG);
    const short = answers.begin('a');
    for (let step = 0; step < 100; step++) {
      const state = start(short, 1_000);
      await settled();
      expect(state.goesOn).toBe(true);
    }
    short.end();
    // It had no place to give away.
    const waiting = start(answers.begin('a'), LONG);
    await settled();
    expect(waiting.goesOn).toBe(false);
  });

  test('one that may read much takes its place before', async () => {
    const answers = createLongAnswers(1);
    const [first, second] = [answers.begin('a'), answers.begin('a')];
    expect(first.takePlace()).toBeUndefined();
    let goesOn = false;
    const place = Promise.resolve(second.takePlace()).then(() => {
      goesOn = true;
    });
    await settled();
    expect(goesOn).toBe(false);
    first.end();
    await place;
    // It has one place, and not a second one.
    await second.endSlice(LONG);
    expect(second.takePlace()).toBeUndefined();
    second.end();
    expect(answers.begin('a').takePlace()).toBeUndefined();
  });

  test('one that had to wait is asked about before it goes on, and one that is refused then gives its place away', async () => {
    const answers = createLongAnswers(1);
    const first = start(answers.begin('a'), LONG);
    await settled();
    const asked: string[] = [];
    const second = answers.begin('a', async () => {
      asked.push('second');
      throw new Error('no');
    });
    const refused = Promise.resolve(second.endSlice(LONG)).catch((error: Error) => error.message);
    const third = start(
      answers.begin('a', async () => void asked.push('third')),
      LONG,
    );
    await settled();
    expect(asked).toEqual([]);
    first.answer.end();
    expect(await refused).toBe('no');
    second.end();
    await settled();
    expect([asked, third.goesOn]).toEqual([['second', 'third'], true]);
  });

  test('an answer has one place, however much it comes to hold', async () => {
    const answers = createLongAnswers(1);
    const answer = answers.begin('a');
    for (let step = 0; step < 5; step++) await answer.endSlice(LONG);
    answer.end();
    const next = start(answers.begin('a'), LONG);
    await settled();
    expect(next.goesOn).toBe(true);
  });
});
