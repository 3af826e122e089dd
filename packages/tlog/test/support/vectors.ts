import { readFileSync } from 'node:fs';

/** A file of `conformance/log`. */
export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../../../conformance/log/${name}.json`, import.meta.url), 'utf8')) as T;
}

export function unhex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** The leaf data of the trees that the vectors call numbered: the index in decimal digits. */
export function numberedLeaf(index: number): Uint8Array {
  return Uint8Array.from(Buffer.from(String(index)));
}

/** The bytes with one bit changed. */
export function flipped(bytes: Uint8Array, byte: number, bit = byte % 8): Uint8Array {
  return bytes.map((value, index) => (index === byte ? value ^ (1 << bit) : value));
}
