/** What an offset counts: bytes of a text given as bytes, UTF-16 code units of a string. */
export type JsonUnit = 'byte' | 'character';

/** Thrown for a text that is refused. The message says what is wrong and where. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  /** Where the fault is, counted in `unit` from 0. */
  readonly offset: number;
  readonly unit: JsonUnit;

  constructor(reason: string, offset: number, unit: JsonUnit) {
    super(`${reason} (at ${unit} ${offset})`);
    this.offset = offset;
    this.unit = unit;
  }
}
