/**
 * Serialized JSON as consecutive chunks of bytes. Long responses are written in parts so that other requests are served in between, and
 * some responses are cached.
 */
export class WrittenJson<T = unknown> {
  /** The type of the serialized value. Exists only for the compiler. */
  declare readonly of: T;
  readonly parts: readonly Uint8Array[];
  /** In bytes. */
  readonly length: number;

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }
}

/** An object with members that may be written already. */
export type PartlyWritten<T> = { readonly [K in keyof T]: T[K] | WrittenJson<T[K]> };

/** Writes an object as JSON, byte for byte like JSON.stringify. */
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

/** Serializes a value unless it is written already. */
export function toJson(value: unknown): string | WrittenJson {
  return value instanceof WrittenJson ? value : JSON.stringify(value);
}
