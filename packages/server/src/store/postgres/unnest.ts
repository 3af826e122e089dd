import type { Value } from '../statement.ts';
import type { ColumnType, NamedColumn } from '../table.ts';
import type { Parameter } from './session.ts';
import { toStored } from './text.ts';

const arrayTypes: Readonly<Record<ColumnType, string>> = { text: 'text[]', integer: 'bigint[]', bytes: 'bytea[]' };

/** SQL source of many rows: each column is one array parameter. Parameters are numbered from `first`. */
export function unnest(columns: readonly NamedColumn[], first = 1): string {
  return `unnest(${columns.map(({ type }, index) => `$${first + index}::${arrayTypes[type]}`).join(', ')})`;
}

/** Parameters of `unnest`: transposes rows into columns. */
export function toArrays(columns: readonly NamedColumn[], rows: readonly (readonly Value[])[]): readonly Parameter[] {
  return columns.map((_, index) =>
    rows.map((row) => {
      const value = row[index];
      return typeof value === 'string' ? toStored(value) : (value ?? null);
    }),
  );
}
