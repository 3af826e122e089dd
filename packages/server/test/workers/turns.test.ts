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

  test('are given in the order of requests, one at a time', () => {
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

  test('are ended only by their holder', () => {
    const turns = createTurns();
    for (const each of [a, b]) turns.ask(each);
    turns.end(b);
    expect(told).toEqual(['a']);
  });

  test('pass on when the holder dies, and skip a worker that died waiting', () => {
    const turns = createTurns();
    for (const each of [a, b, c]) turns.ask(each);
    turns.forget(b);
    turns.forget(a);
    expect(told).toEqual(['a', 'c']);
  });

  test('pass on when the holder does not end its turn', () => {
    const turns = createTurns();
    for (const each of [a, b]) turns.ask(each);
    vi.runOnlyPendingTimers();
    expect(told).toEqual(['a', 'b']);
    // The first worker's late message does not end the second worker's turn.
    turns.ask(c);
    turns.end(a);
    expect(told).toEqual(['a', 'b']);
  });

  test('are given at once when free', () => {
    const turns = createTurns();
    turns.ask(a);
    turns.end(a);
    turns.ask(b);
    expect(told).toEqual(['a', 'b']);
  });
});
