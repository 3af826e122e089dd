import type { Row, Value } from './statement.ts';

export type ColumnType = 'text' | 'integer' | 'bytes';

/** How a field of a row is stored. */
export interface Column<V> {
  readonly type: ColumnType;
  readonly encode: (value: V) => Value;
  /** Throws a `TypeError` if the named column of the row holds something else. */
  readonly decode: (row: Row, name: string) => V;
}

/** Reads a text column. */
export function toText(row: Row, name: string): string {
  const value = row[name];
  if (typeof value !== 'string') throw new TypeError(`column ${name} holds no text`);
  return value;
}

/** Reads an integer column. Throws unless it is a safe integer: a rounded version would defeat the version check. */
export function toInteger(row: Row, name: string): number {
  const value = row[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError(`column ${name} holds no safe integer`);
  return value;
}

/** Reads a bytes column. */
export function toBytes(row: Row, name: string): Uint8Array {
  const value = row[name];
  if (!(value instanceof Uint8Array)) throw new TypeError(`column ${name} holds no bytes`);
  return value;
}

const asIs = <V extends Value>(value: V): Value => value;

export const text: Column<string> = Object.freeze({ type: 'text', encode: asIs, decode: toText });
export const integer: Column<number> = Object.freeze({ type: 'integer', encode: asIs, decode: toInteger });
export const bytes: Column<Uint8Array> = Object.freeze({ type: 'bytes', encode: asIs, decode: toBytes });

/** A text column with a fixed set of values. */
export function oneOf<V extends string>(...words: readonly V[]): Column<V> {
  return Object.freeze({
    type: 'text',
    encode: asIs,
    decode(row: Row, name: string): V {
      const value = toText(row, name);
      const word = words.find((known) => known === value);
      if (word === undefined) throw new TypeError(`column ${name} holds none of ${words.join(', ')}`);
      return word;
    },
  });
}
