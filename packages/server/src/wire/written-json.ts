/**
 * JSON that is written already, as bytes one behind the other: long answers are written part by part, so that others are served meanwhile,
 * and some are kept.
 */
export class WrittenJson<T = unknown> {
  /** What it is the JSON of. For the compiler alone. */
  declare readonly of: T;
  readonly parts: readonly Uint8Array[];
  /** In bytes. */
  readonly length: number;

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }
}

/** An object some of whose members are written already. */
export type PartlyWritten<T> = { readonly [K in keyof T]: T[K] | WrittenJson<T[K]> };

/** The JSON of an object, byte for byte as JSON.stringify would give it of the values. */
export function writeObject<T extends object>(value: PartlyWritten<T>): WrittenJson<T> {
  const parts: Uint8Array[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const before = `${parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    if (member instanceof WrittenJson) parts.push(Buffer.from(before), ...member.parts);
    else parts.push(Buffer.from(before + JSON.stringify(member)));
  }
  return new WrittenJson([...parts, Buffer.from(parts.length === 0 ? '{}' : '}')]);
}

/** The JSON of what may be written already, as it is sent. */
export function toJson(value: unknown): string | WrittenJson {
  return value instanceof WrittenJson ? value : JSON.stringify(value);
}
