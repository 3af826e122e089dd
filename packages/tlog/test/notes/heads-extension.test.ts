import { expect, test } from 'vitest';
import {
  emptyMapRoot,
  formatCheckpoint,
  headsExtension,
  parseCheckpoint,
  readHeadsExtension,
  TlogError,
} from '../../src/index.ts';

const root = emptyMapRoot();
const line = headsExtension(root);
const read = (...extensions: string[]) =>
  readHeadsExtension(parseCheckpoint(formatCheckpoint({ origin: 'log', size: 3, root, extensions })));

test('a checkpoint carries the root of the head map in one extension line', () => {
  expect(line).toBe('countersign-heads-1 mb5e+4jKIBO9jk6wNf1C1SRUaP6a+nDYupwcQZpIxOg=');
  expect(read(line)).toEqual(root);
  expect(read('another', line)).toEqual(root);
});

test('a checkpoint without the line has no head map', () => {
  expect(read()).toBeUndefined();
  expect(read('another', 'countersign-heads-10 x')).toBeUndefined();
});

test.each([
  [[line, line]],
  [['countersign-heads-1']],
  [['countersign-heads-1 ']],
  [[`${line} `]],
  [[line.slice(0, -1)]],
  [['countersign-heads-1 AAAA']],
])('the lines %j are rejected', (lines) => {
  expect(() => read(...lines)).toThrow(TlogError);
});

test('a root of another length has no line', () => {
  expect(() => headsExtension(root.slice(1))).toThrow(TlogError);
});
