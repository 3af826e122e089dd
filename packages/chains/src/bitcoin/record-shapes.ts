import { malformed } from './byte-reader.ts';
import { type PsbtMap, typedRecords } from './psbt-maps.ts';

interface Shape {
  readonly name: string;
  /** Whether the key, after its type, may have this many bytes. */
  readonly key: (length: number) => boolean;
  /** Whether the value may have this many bytes. */
  readonly value: (length: number) => boolean;
}

const any = () => true;
const exactly = (bytes: number) => (length: number) => length === bytes;
const signature = (length: number) => length === 64 || length === 65;
/** BIP-341: a leaf version with a parity, a key, and a path of up to 128 hashes. */
const controlBlock = (length: number) => length >= 33 && length <= 33 + 32 * 128 && (length - 33) % 32 === 0;

/** SEC 1: a public key, compressed or not. */
const publicKey = (length: number) => length === 33 || length === 65;
/** BIP-174: a fingerprint of four bytes, and four for each step. */
const derivation = (length: number) => length >= 4 && length % 4 === 0;

/** BIP-174 and BIP-371: the records of an input. Keys of the latter are x-only, and a script signature names its leaf by a hash. */
const inputShapes: ReadonlyMap<number, Shape> = new Map([
  [0x06, { name: 'a derivation path', key: publicKey, value: derivation }],
  [0x13, { name: 'a key path signature', key: exactly(0), value: signature }],
  [0x14, { name: 'a script path signature', key: exactly(64), value: signature }],
  [0x15, { name: 'a leaf script', key: controlBlock, value: (length: number) => length > 0 }],
  [0x16, { name: 'a taproot derivation', key: exactly(32), value: any }],
  [0x17, { name: 'a taproot internal key', key: exactly(0), value: exactly(32) }],
  [0x18, { name: 'a taproot Merkle root', key: exactly(0), value: exactly(32) }],
]);

/** BIP-174 and BIP-371: the records of an output. */
const outputShapes: ReadonlyMap<number, Shape> = new Map([
  [0x00, { name: 'a redeem script', key: exactly(0), value: any }],
  [0x01, { name: 'a witness script', key: exactly(0), value: any }],
  [0x02, { name: 'a derivation path', key: publicKey, value: derivation }],
  [0x05, { name: 'a taproot internal key', key: exactly(0), value: exactly(32) }],
  [0x06, { name: 'a taproot tree', key: exactly(0), value: any }],
  [0x07, { name: 'a taproot derivation', key: exactly(32), value: any }],
]);

/** Refuses records with keys or values of another size, also where signing does not read them. */
export function requireShapes(map: PsbtMap, of: 'input' | 'output'): void {
  const shapes = of === 'input' ? inputShapes : outputShapes;
  for (const { type, data, value } of typedRecords(map, [])) {
    const shape = shapes.get(type);
    if (shape !== undefined && !(shape.key(data.length) && shape.value(value.length)))
      throw malformed(`${shape.name} of an ${of} has the wrong size`);
  }
}
