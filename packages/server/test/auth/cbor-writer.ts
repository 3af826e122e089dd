export type Writable = number | string | boolean | null | Uint8Array | readonly Writable[] | ReadonlyMap<Writable, Writable>;

/** Encodes as CTAP requires: definite lengths and shortest heads. Maps keep their order. */
export function toCbor(value: Writable): Buffer {
  if (value === false) return Buffer.of(0xf4);
  if (value === true) return Buffer.of(0xf5);
  if (value === null) return Buffer.of(0xf6);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flat().map((item) => toCbor(item as Writable))]);
  const items = value as readonly Writable[];
  return Buffer.concat([head(4, items.length), ...items.map(toCbor)]);
}

function head(major: number, argument: number): Buffer {
  const top = major << 5;
  if (argument < 24) return Buffer.of(top | argument);
  if (argument < 0x100) return Buffer.of(top | 24, argument);
  if (argument < 0x1_0000) return Buffer.of(top | 25, argument >> 8, argument & 0xff);
  const long = Buffer.alloc(5, top | 26);
  long.writeUInt32BE(argument, 1);
  return long;
}
