import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/driver.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const referTo = (object: object) => new WeakRef(object);

test('no object of the driver is garbage-collected', async () => {
  const plain = referTo(new Database(':memory:').prepare('SELECT 1'));
  const ours = [
    referTo(openDatabase(':memory:', {})),
    referTo(openDatabase(':memory:', {}).prepare('SELECT 1')),
    referTo(openDatabase(':memory:', {}).prepare('SELECT 1').pluck()),
  ];
  // A reference keeps its object until the end of the turn.
  while (plain.deref() !== undefined) {
    await sleep(1);
    collectGarbage();
  }
  expect(ours.map((reference) => reference.deref() === undefined)).toEqual([false, false, false]);
});

test('a pragma is set, and read as its value', () => {
  const db = openDatabase(':memory:', {});
  expect(db.pragma('cache_size = -4096')).not.toBe(-4096);
  expect(db.pragma('cache_size')).toBe(-4096);
  db.pragma('application_id = 7');
  expect(db.pragma('application_id')).toBe(7);
  expect(() => db.pragma('journal_mode = ')).toThrow(Database.SqliteError);
});
