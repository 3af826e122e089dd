import * as chains from '@countersign/chains';
import * as contract from '@countersign/contract';
import { language } from '@countersign/policy';
import { describe, expect, test } from 'vitest';

/** Names that contract and chains each list. */
const lists: readonly (readonly [what: string, wire: readonly unknown[], chains: readonly unknown[]])[] = [
  ['curves', contract.curve.options, chains.curves],
  ['address formats', contract.addressFormat.options, chains.addressFormatIds],
  ['transaction types', contract.transactionType.options, Object.keys(chains.transactionTypes)],
  ['contract interfaces', contract.smartContractInterfaceType.options, Object.keys(chains.contractInterfaceTypes)],
  ['lengths of recovery phrases', contract.mnemonicLength.options.map(({ value }) => value), chains.mnemonicLengths],
];

test.each(lists)('%s: contract and chains have the same list', (_, wire, known) => {
  expect(wire.length).toBeGreaterThan(0);
  expect(new Set(wire).size).toBe(wire.length);
  expect([...wire].sort()).toEqual([...known].sort());
});

describe.each(Object.values(chains.chains))(
  'chain $id',
  ({ id, transactionType, transaction, namespace, signerField, assets }) => {
    test('its transactions have the wire name and the curve of the contract', () => {
      expect(transaction).toMatchObject({ id: transactionType, curve: contract.chains[id].curve });
    });

    test('the policy language has its namespace, its signer field and its units', () => {
      const known = language.namespaces.find(({ path }) => path === namespace);
      expect(known).toMatchObject({ groups: ['signed'], transaction: true });
      if (signerField !== undefined) expect(known?.type).toHaveProperty(`fields.${signerField}`);
      expect(language.units.filter(({ chain }) => chain === id)).not.toEqual([]);
    });

    test('its assets have names of their own', () => {
      const others = Object.values(chains.chains).filter((other) => other.assets.namespace === assets.namespace);
      expect(others).toHaveLength(1);
    });
  },
);
