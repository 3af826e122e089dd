import { describe, expect, test } from 'vitest';
import type { Submitted } from '../../src/pipeline/request.ts';
import type { PipelineServices } from '../../src/pipeline/services.ts';
import { Answer, Retry, type Stage, stages } from '../../src/pipeline/stages.ts';

const services = {} as PipelineServices;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A stage that adds a letter, later than its call. */
const adding =
  (letter: string): Stage<string, string> =>
  async (_, text) => {
    await turn();
    return text + letter;
  };

describe('stages', () => {
  test('run in sequence, each on the context of the one before', async () => {
    const run = stages(adding('a'), adding('b'), adding('c'), adding('d'), adding('e'));
    expect(await run(services, '-')).toBe('-abcde');
  });

  test('get the services of the call', async () => {
    const received: unknown[] = [];
    const receiving: Stage<string, string> = async (given, text) => {
      received.push(given);
      return text;
    };
    await stages(receiving, receiving)(services, '-');
    expect(received).toEqual([services, services]);
    expect(received[0]).toBe(services);
  });

  test.each([
    ['an Answer', new Answer({} as Submitted)],
    ['a Retry', new Retry('USAGE_MOVED')],
  ])('stop at %s, which is the outcome', async (_, end) => {
    let wasReached = false;
    const ending: Stage<string, string> = async () => end;
    const after: Stage<string, string> = async (_services, text) => {
      wasReached = true;
      return text;
    };
    expect(await stages(adding('a'), ending, after)(services, '-')).toBe(end);
    expect(await stages(stages(ending, after), after)(services, '-')).toBe(end);
    expect(wasReached).toBe(false);
    expect(await stages(adding('a'), after)(services, '-')).toBe('-a');
    expect(wasReached).toBe(true);
  });

  test('stop at an error, which the caller gets', async () => {
    let wasReached = false;
    const failing: Stage<string, string> = async () => {
      throw new Error('no');
    };
    const after: Stage<string, string> = async (_services, text) => {
      wasReached = true;
      return text;
    };
    await expect(stages(failing, after)(services, '-')).rejects.toThrow('no');
    expect(wasReached).toBe(false);
  });
});
