/** What an offset counts: bytes of a text given as bytes, UTF-16 code units of a string. */
export type JsonUnit = 'byte' | 'character';

/** Thrown for invalid text. The message has the reason and the offset. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  /** The offset of the error, counted in `unit` from 0. */
  readonly offset: number;
  readonly unit: JsonUnit;

  constructor(reason: string, offset: number, unit: JsonUnit) {
    super(`${reason} (at ${unit} ${offset})`);
    this.offset = offset;
    this.unit = unit;
  }
}
