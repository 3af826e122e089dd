import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ethereumTransaction } from '../../../src/ethereum/index.ts';
import { transaction } from '../arbitrary-transactions.ts';
import { contextWith, type Item, parse, rlp, signer } from '../support.ts';
import { effectsOf, ether, friend, self, send } from './support.ts';

const to = friend.slice(2);
const feeMarket: readonly Item[] = ['01', '02', '03', '04', '5208', to, '05', '', []];

describe('the fee', () => {
  test('D70: is every unit of gas at the highest price, and blobs at theirs, in every type', () => {
    fc.assert(
      fc.property(transaction, ({ unsigned, fields }) => {
        const { effects, policy } = ethereumTransaction.parse(unsigned, contextWith());
        const price = (fields.maxFeePerGas ?? fields.gasPrice) as bigint;
        const blobs = (fields.blobVersionedHashes as unknown[] | undefined)?.length ?? 0;
        const expected = (fields.gas as bigint) * price + BigInt(blobs) * 131_072n * ((fields.maxFeePerBlobGas as bigint) ?? 0n);
        expect(effects.filter(({ kind }) => kind === 'FEE')).toMatchObject([{ kind: 'FEE', amount: expected, from: self }]);
        expect(policy.max_fee).toBe(expected);
        expect(policy.max_cost).toBe((fields.value as bigint) + expected);
      }),
    );
  });

  test('is in the sentence', () => {
    const parsed = send({ to: friend, value: 1_500_000_000_000_000_000n });
    expect(parsed.description).toBe(
      'send 1.5 ETH to 0x3535353535353535353535353535353535353535 on Ethereum, network fee at most 0.000000000000042 ETH',
    );
  });
});

describe('a chain that charges for data', () => {
  test.each([10, 8453, 534352])('D70: chain %i takes more than the fee for gas, and the sentence says so', (chainId) => {
    const { description } = send({ to: friend, value: 1n, chainId });
    expect(description).toMatch(/, network fee at most \S+ ETH, plus a fee for data that the chain sets$/);
  });

  test('others do not', () => {
    for (const chainId of [1, 137, 42161]) expect(send({ to: friend, chainId }).description).not.toContain('plus');
  });
});

describe('what a transaction does by itself', () => {
  test('sends coins', () => {
    expect(effectsOf(send({ to: friend, value: 7n }))).toEqual([
      { kind: 'TRANSFER', asset: ether, amount: 7n, from: self, to: friend },
    ]);
  });

  test('names a receiver by the label of the organization, with the address beside it', () => {
    const names = { contact: (address: string) => (address === friend ? 'Acme "GmbH"' : undefined) };
    expect(send({ to: friend, value: 7n }, { names }).description).toContain(
      'to "Acme \\"GmbH\\"" (0x3535353535353535353535353535353535353535)',
    );
  });

  test('D45: without a chain id it is replayable', () => {
    const parsed = parse(rlp(['09', '04', '5208', to, '05', '']));
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'REPLAYABLE' }, { kind: 'TRANSFER', asset: { id: 'eip155:0/slip44:60' } }]);
    expect(parsed.fullyParsed).toBe(true);
  });

  test('D44: creating a contract is a creation and unknown code', () => {
    const parsed = parse(rlp(['01', '02', '03', '04', '5208', '', '05', '600060', []], 0x02));
    expect(effectsOf(parsed)).toEqual([
      { kind: 'CREATE', what: 'CONTRACT', from: self, asset: ether, amount: 5n },
      { kind: 'UNKNOWN', what: 'code of the new contract', bytes: 3 },
    ]);
    expect(parsed.fullyParsed).toBe(false);
  });

  test('D36: an authorization that nobody signed is unknown', () => {
    const parsed = parse(rlp([...feeMarket, [['', to, '05', '02', '11', '22']]], 0x04));
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'TRANSFER' }, { kind: 'UNKNOWN', to: friend }]);
    expect(parsed.fullyParsed).toBe(false);
  });
});

describe('recovering the account that delegates', () => {
  const withAuthorization = (r: string, s: string, parity: string) => rlp([...feeMarket, [['', to, '05', parity, r, s]]], 0x04);
  const key = Uint8Array.from([4, ...new Uint8Array(64).fill(7)]);

  test('the function of the context is asked, and its key names the account', () => {
    const asked: unknown[] = [];
    const recoverPublicKey = (...args: readonly unknown[]) => {
      asked.push(args.slice(1));
      return key;
    };
    const parsed = ethereumTransaction.parse(withAuthorization('11', '22', '01'), { signer, interfaces: [], recoverPublicKey });
    expect(asked).toEqual([[0x11n, 0x22n, 1]]);
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'TRANSFER' },
      { kind: 'AUTHORITY', from: expect.stringMatching(/^0x[0-9a-f]{40}$/), to: friend },
      { kind: 'REPLAYABLE' },
    ]);
  });

  test.each([
    ['a low s', '11', 'ff'.repeat(31), ''],
    ['an s of half the order and more', '11', '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1', ''],
    ['an r of the order', 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', '22', ''],
    ['an r of 0', '', '22', ''],
    ['a parity of 2', '11', '22', '02'],
  ])('D36: %s: only what the network does not skip is recovered', (name, r, s, parity) => {
    const recoverPublicKey = () => {
      if (name !== 'a low s') throw new Error('asked');
      return key;
    };
    // 248 bits are still a low s: the first row shows that the others fail for their own reason.
    const parsed = ethereumTransaction.parse(withAuthorization(r, s, parity), { signer, interfaces: [], recoverPublicKey });
    expect(parsed.fullyParsed).toBe(name === 'a low s');
  });
});
