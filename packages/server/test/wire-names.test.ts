import * as chains from '@countersign/chains';
import * as contract from '@countersign/contract';
import { expect, test } from 'vitest';

/** Names that contract and chains each list, because neither may import the other. */
const lists: readonly (readonly [what: string, wire: readonly unknown[], chains: readonly unknown[]])[] = [
  ['curves', contract.curve.options, chains.curves],
  ['address formats', contract.addressFormat.options, chains.addressFormatIds],
  ['transaction types', contract.transactionType.options, Object.keys(chains.transactionTypes)],
  ['lengths of recovery phrases', contract.mnemonicLength.options.map(({ value }) => value), chains.mnemonicLengths],
  ['languages of recovery phrases', contract.mnemonicLanguage.options, chains.mnemonicLanguages],
];

test.each(lists)('%s: contract and chains have the same list', (_, wire, known) => {
  expect(wire.length).toBeGreaterThan(0);
  expect(new Set(wire).size).toBe(wire.length);
  expect([...wire].sort()).toEqual([...known].sort());
});
