import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTurns, type Waiting } from '../../src/workers/turns.ts';

describe('turns to write', () => {
  const told: string[] = [];
  const worker = (name: string): Waiting => ({ tell: () => told.push(name) });
  const [a, b, c] = [worker('a'), worker('b'), worker('c')];

  beforeEach(() => {
    vi.useFakeTimers();
    told.length = 0;
  });
  afterEach(() => vi.useRealTimers());

  test('come in the order in which they were asked for, one at a time', () => {
    const turns = createTurns();
    for (const each of [a, b, c]) turns.ask(each);
    expect(told).toEqual(['a']);
    turns.end(a);
    turns.ask(a);
    expect(told).toEqual(['a', 'b']);
    turns.end(b);
    turns.end(c);
    expect(told).toEqual(['a', 'b', 'c', 'a']);
  });

  test('are ended by their holder alone', () => {
    const turns = createTurns();
    for (const each of [a, b]) turns.ask(each);
    turns.end(b);
    expect(told).toEqual(['a']);
  });

  test('go on when the holder dies, and pass by a worker that died waiting', () => {
    const turns = createTurns();
    for (const each of [a, b, c]) turns.ask(each);
    turns.forget(b);
    turns.forget(a);
    expect(told).toEqual(['a', 'c']);
  });

  test('go on when the holder does not end its turn', () => {
    const turns = createTurns();
    for (const each of [a, b]) turns.ask(each);
    vi.runOnlyPendingTimers();
    expect(told).toEqual(['a', 'b']);
    // The late word of the first does not end the turn of the second.
    turns.ask(c);
    turns.end(a);
    expect(told).toEqual(['a', 'b']);
  });

  test('are given at once where nobody has one', () => {
    const turns = createTurns();
    turns.ask(a);
    turns.end(a);
    turns.ask(b);
    expect(told).toEqual(['a', 'b']);
  });
});
