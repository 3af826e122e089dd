import { readFileSync } from 'node:fs';
import type { AddressFormatId } from '../../src/addresses/address-formats.ts';
import type { Curve } from '../../src/curve.ts';

/** An address that an independent library derived: phrase (by its name in the file), path, key, text. */
export interface AddressVector {
  readonly format: AddressFormatId;
  readonly curve: Curve;
  readonly mnemonic: string;
  readonly path: string;
  readonly publicKey: string;
  readonly address: string;
}

/** A file of the corpus in `conformance/addresses`. */
export function readCorpus<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../../../conformance/addresses/${name}.json`, import.meta.url), 'utf8')) as T;
}

export const { mnemonics, vectors } = readCorpus<{ mnemonics: Record<string, string>; vectors: AddressVector[] }>('vectors');

/** The first vector of each format: the reference phrase at the first account. */
export function exampleOf(format: AddressFormatId): string {
  const vector = vectors.find((each) => each.format === format);
  if (vector === undefined) throw new Error(`no vector for ${format}`);
  return vector.address;
}
