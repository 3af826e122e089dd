import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/store/sqlite/driver.ts';
import { hasModule, loadPackage } from '../../src/store/sqlite/load-driver.ts';
import { StoreError } from '../../src/store/store-errors.ts';

describe('the driver', () => {
  let directory: string;
  let db: Database;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'countersign-driver-'));
    db = openDatabase(join(directory, 'test.db'), { timeout: 0 });
    db.exec('CREATE TABLE texts (text TEXT PRIMARY KEY, number INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT');
  });
  afterEach(() => {
    if (db.isOpen) db.close();
    rmSync(directory, { recursive: true });
  });

  const add = (text: string) => db.prepare('INSERT INTO texts VALUES (?, 1, ?)').run(text, new Uint8Array(2));
  const find = (text: string) => db.prepare('SELECT text FROM texts WHERE text = ?').value(text);

  test('a pragma is set, and read as its value', () => {
    expect(db.pragma('cache_size = -4096')).not.toBe(-4096);
    expect(db.pragma('cache_size')).toBe(-4096);
    db.pragma('application_id = 7');
    expect(db.pragma('application_id')).toBe(7);
    expect(() => db.pragma('journal_mode = ')).toThrow(expect.objectContaining({ code: 'SQLITE_ERROR' }));
  });

  test('D505: text with NUL is not cut: neither in a row, nor when it is looked up', () => {
    add('alice');
    expect(find('alice\0mallory')).toBeUndefined();
    expect(find('alice')).toBe('alice');
    for (const text of ['alice\0', '\0', '\0%00', '%00', '\u0001nul:', '\u0001nul:%25', '\u0001', '']) {
      expect(find(text)).toBeUndefined();
      add(text);
      expect(find(text)).toBe(text);
      expect(db.prepare('SELECT text FROM texts').rows()).toContainEqual([text]);
      expect([...db.prepare('SELECT text FROM texts').iterate()]).toContainEqual([text]);
    }
    expect(db.prepare('SELECT count(*) FROM texts').value()).toBe(9);
  });

  test('rows are arrays of text, numbers and plain bytes', () => {
    add('a');
    const [row] = db.prepare('SELECT text, number, bytes, NULL FROM texts').rows();
    expect(row).toStrictEqual(['a', 1, new Uint8Array(2), null]);
    expect(row?.[2]).not.toBeInstanceOf(Buffer);
    expect(db.prepare('SELECT text AS a, number FROM texts').columns()).toEqual(['a', 'number']);
  });

  test('D523: an integer beyond the safe range does not make the read of other rows fail, and never becomes a safe one', () => {
    for (const [at, number] of ['9007199254740991', '9007199254740993', '-9223372036854775808'].entries())
      db.exec(`INSERT INTO texts VALUES ('${at}', ${number}, x'')`);
    const statement = db.prepare('SELECT number FROM texts ORDER BY text');
    const numbers = [[Number.MAX_SAFE_INTEGER], [2 ** 53], [-(2 ** 63)]];
    expect(statement.rows()).toEqual(numbers);
    expect([...statement.iterate()]).toEqual(numbers);
    expect(db.prepare('SELECT max(number) FROM texts').value()).toBe(2 ** 53);
  });

  test('errors have the name of SQLite’s result code', () => {
    add('a');
    expect(() => add('a')).toThrow(expect.objectContaining({ code: 'SQLITE_CONSTRAINT', errcode: 1555 }));
    expect(() => openDatabase(join(directory, 'missing', 'test.db'))).toThrow(
      expect.objectContaining({ code: 'SQLITE_CANTOPEN' }),
    );
    const other = openDatabase(join(directory, 'test.db'), { timeout: 0 });
    other.exec('BEGIN IMMEDIATE');
    expect(() => db.exec('BEGIN IMMEDIATE')).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }));
    other.close();
    const readOnly = openDatabase(join(directory, 'test.db'), { readOnly: true });
    expect(() => readOnly.exec('DELETE FROM texts')).toThrow(expect.objectContaining({ code: 'SQLITE_READONLY' }));
    readOnly.close();
  });

  test('close releases the locks of an open transaction, also with statements and a reader left', () => {
    add('a');
    add('b');
    const other = openDatabase(join(directory, 'test.db'), { timeout: 0 });
    const statement = other.prepare('SELECT text FROM texts');
    other.exec('BEGIN EXCLUSIVE');
    expect(other.isTransaction).toBe(true);
    const reader = statement.iterate();
    expect(reader.next().value).toEqual(['a']);
    expect(() => add('c')).toThrow('locked');
    other.close();
    expect(other.isOpen).toBe(false);
    expect(add('c')).toBe(1);
    expect(() => statement.rows()).toThrow();
    expect(() => reader.next()).toThrow();
  });
});

test('Node’s module is used where it has all that the store needs', () => {
  const versions = ['20.19.0', '22.12.0', '22.15.1', '22.16.0', '22.23.3', '23.11.0', '24.0.0', '26.10.0'];
  expect(versions.filter(hasModule)).toEqual(['22.16.0', '22.23.3', '24.0.0', '26.10.0']);
});

test('a missing package is one line with its fix', () => {
  const missing = () => {
    throw new Error('No native build was found for platform=linux arch=riscv64\n    loaded from: somewhere');
  };
  expect(() => loadPackage(missing)).toThrow(StoreError);
  expect(() => loadPackage(missing)).toThrow(
    /^SQLite cannot be loaded: .*No native build was found for platform=linux arch=riscv64\)$/,
  );
});
