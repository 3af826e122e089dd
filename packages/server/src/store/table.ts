import type { Row, Value } from './statement.ts';

export type ColumnType = 'text' | 'integer' | 'bytes';

/** How a field of a row is stored. */
interface Column<V> {
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

/**
 * Reads an integer that a MAC or the log covers. One beyond the safe range is rounded: it equals no version or revision of the service, and no
 * MAC fits it. So its row is reported like any other row that was edited, and rows read with it are not affected.
 */
export function toCoveredInteger(row: Row, name: string): number {
  const value = row[name];
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new TypeError(`column ${name} holds no integer`);
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
/** Use it only in rows that the caller verifies. */
export const coveredInteger: Column<number> = Object.freeze({ type: 'integer', encode: asIs, decode: toCoveredInteger });
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

/** A column in SQL. */
export interface NamedColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** Some columns of a table, and how to read a row of them. */
interface Selection<R> {
  /** Column names as an SQL list. */
  readonly list: string;
  decode(row: Row): R;
}

/** The parts of a table that SQL text depends on. */
export interface TableShape {
  readonly name: string;
  /** The columns of the primary key, in order. */
  readonly key: readonly NamedColumn[];
  /** All columns, key columns first. */
  readonly columns: readonly NamedColumn[];
  /** Whether rows are only added, in commit order. */
  readonly appended: boolean;
}

/** A stored table. Both engines build their statements and decoders from it. `K` is the key part of a row. */
export interface Table<R, K> extends TableShape, Selection<R> {
  /** The values of a row, in the order of `columns`. */
  encode(row: R): Value[];
  /** The values of a key, in the order of `key`. */
  encodeKey(key: K): Value[];
  /** Selects some of the columns. */
  select<F extends keyof R & string>(...fields: readonly F[]): Selection<Pick<R, F>>;
}

type Columns<R> = { readonly [F in keyof R]-?: Column<R[F]> };

interface Definition<R, K> {
  /** In the order of the primary key. */
  readonly key: Columns<K>;
  readonly columns: Columns<Omit<R, keyof K>>;
  /** Rows are only added. An existing row is never replaced. */
  readonly appended?: true;
}

/** A column and the field that it stores. */
interface Field extends NamedColumn {
  readonly field: string;
  readonly decode: Column<unknown>['decode'];
}

/** Like `Field`, for rows of a known type. */
interface FieldOf<R> extends Field {
  readonly encode: (row: R) => Value;
}

/** Describes a table. Compiles only if every field of the row has one column of the field's type. */
export function defineTable<R extends K, K>(name: string, { key, columns, appended }: Definition<R, K>): Table<R, K> {
  const keyFields = fieldsOf(key);
  const fields: readonly FieldOf<R>[] = [...keyFields, ...fieldsOf<Omit<R, keyof K>>(columns)];
  return Object.freeze({
    name,
    key: keyFields,
    columns: fields,
    appended: appended === true,
    encode: encoderOf(fields),
    encodeKey: encoderOf(keyFields),
    ...selectionOf<R>(fields),
    select<F extends keyof R & string>(...wanted: readonly F[]) {
      return selectionOf<Pick<R, F>>(fields.filter(({ field }) => wanted.some((one) => one === field)));
    },
  });
}

/** A row and the shorter form of one of its texts. */
export type Packed<R> = R & { readonly packed: Uint8Array };

/**
 * A table whose rows have a text in one of two columns: as text, or in a shorter form in `packed`. The other column is empty.
 * `pack` returns nothing for a text without a shorter form.
 */
export function packing<R, K, F extends keyof R & string>(
  table: Table<Packed<R>, K>,
  field: F,
  { pack, unpack }: { pack(row: R): Uint8Array; unpack(row: R, packed: Uint8Array): R[F] },
): Table<R, K> {
  const { select, ...shape } = table;
  // Without the column of the shorter form: leaving it out of each row afterwards takes longer than reading the row.
  const fields = (table.columns as readonly Field[]).map(({ field: name }) => name).filter((name) => name !== 'packed');
  const plain = select(...(fields as (keyof R & string)[])) as unknown as Selection<{ -readonly [N in keyof R]: R[N] }>;
  return Object.freeze({
    ...shape,
    encode(row: R) {
      const packed = pack(row);
      return table.encode({ ...row, ...(packed.length > 0 && { [field]: '' }), packed });
    },
    decode(row: Row) {
      const decoded = plain.decode(row);
      const packed = toBytes(row, 'packed');
      if (packed.length > 0) decoded[field] = unpack(decoded, packed);
      return decoded;
    },
    select(): never {
      throw new TypeError(`${table.name} is read as a whole: a text may be in either of two columns`);
    },
  });
}

/** `organizationId` is stored in `organization_id`. */
const toName = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function fieldsOf<R>(columns: Columns<R>): readonly FieldOf<R>[] {
  return (Object.keys(columns) as (keyof R & string)[]).map((field) => {
    const { type, encode, decode } = columns[field];
    return { field, name: toName(field), type, encode: (row: R) => encode(row[field]), decode };
  });
}

function encoderOf<R>(fields: readonly FieldOf<R>[]): (row: R) => Value[] {
  const encoders = fields.map(({ encode }) => encode);
  return (row) => encoders.map((encode) => encode(row));
}

function selectionOf<R>(fields: readonly Field[]): Selection<R> {
  // Rows are copies of one empty row. Filling a copy is much faster than adding properties one by one.
  const empty: Readonly<Record<string, unknown>> = Object.fromEntries(fields.map(({ field }) => [field, undefined]));
  return {
    list: nameList(fields),
    decode(row) {
      const decoded = { ...empty };
      for (const { field, name, decode } of fields) decoded[field] = decode(row, name);
      return decoded as R;
    },
  };
}

/** Column names as an SQL list. */
export function nameList(columns: readonly NamedColumn[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/** Statement that writes rows from a source, such as `VALUES (?, ?)`, to a table. */
export function putInto(table: TableShape, source: string): string {
  const { name, key, columns, appended } = table;
  const others = appended ? [] : columns.slice(key.length);
  const update = others.map((column) => `${column.name} = excluded.${column.name}`).join(', ');
  const onConflict = update === '' ? 'DO NOTHING' : `DO UPDATE SET ${update}`;
  return `INSERT INTO ${name} (${nameList(columns)}) ${source} ON CONFLICT (${nameList(key)}) ${onConflict}`;
}
