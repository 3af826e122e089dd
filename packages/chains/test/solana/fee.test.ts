import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTransaction, COMPUTE_BUDGET, key, SYSTEM, u64 } from './message-builder.ts';
import { me, type ProgramCall, readCalls, u32 } from './program-calls.ts';
import { parse } from './support.ts';

const transfer: ProgramCall = { program: SYSTEM, accounts: [me, key(1)], data: [2, 0, 0, 0, ...u64(1_000n)] };
const unitLimit = (units: number): ProgramCall => ({ program: COMPUTE_BUDGET, data: [2, ...u32(units)] });
const unitPrice = (price: bigint): ProgramCall => ({ program: COMPUTE_BUDGET, data: [3, ...u64(price)] });

/** The fee in lamports, as policies see it. It must be the one that the effects tell. */
function feeOf(...calls: readonly ProgramCall[]): bigint {
  const { policy, effects } = readCalls(calls);
  const fees = effects.filter(({ kind }) => kind === 'FEE');
  expect(fees).toEqual([{ kind: 'FEE', asset: expect.objectContaining({ symbol: 'SOL' }), amount: policy.max_fee, from: me }]);
  return policy.max_fee as bigint;
}

describe('D73: the highest fee of a Solana transaction', () => {
  test('a transfer of 1,000 lamports that pays 24,629 SOL for priority', () => {
    const { policy, fullyParsed, description } = readCalls([
      unitLimit(1_400_000),
      unitPrice(17_592_186_044_416n),
      { ...transfer },
    ]);
    expect(fullyParsed).toBe(true);
    expect(policy.transfers).toHaveLength(1);
    expect(policy.max_fee).toBe(24_629_060_467_183n);
    expect(description).toBe(`send 0.000001 SOL to ${key(1)} on Solana, network fee at most 24,629.060467183 SOL`);
  });

  test('one signature and nothing else', () => {
    expect(feeOf(transfer)).toBe(5_000n);
  });

  test('every signature of the message counts, and who pays is told', () => {
    const two = { program: 2, accounts: [0, 1], data: [2, 0, 0, 0, ...u64(5n)] };
    const { policy, effects } = parse(buildTransaction({ header: [2, 0, 1], instructions: [two] }));
    expect(policy).toMatchObject({ max_fee: 10_000n, fee_payer: me });
    expect(effects.at(-1)).toMatchObject({ kind: 'FEE', amount: 10_000n, from: me });
  });

  test.each([
    ['rounded up', [unitLimit(1), unitPrice(1n)], 5_001n],
    ['exact', [unitLimit(1_000_000), unitPrice(3n)], 5_003n],
    ['a limit beyond the highest', [unitLimit(4_294_967_295), unitPrice(1_000_000n)], 1_405_000n],
    ['a limit of nothing', [unitLimit(0), unitPrice(1_000_000n)], 5_000n],
    ['a limit without a price', [unitLimit(1_400_000)], 5_000n],
    ['no limit: 200,000 for the transfer, 3,000 for the price', [unitPrice(1_000_000n)], 208_000n],
    ['of two limits the higher', [unitLimit(10), unitLimit(20), unitPrice(1_000_000n)], 5_020n],
    ['of two prices the higher', [unitLimit(10), unitPrice(2_000_000n), unitPrice(1_000_000n)], 5_020n],
    [
      'a heap and a size of accounts cost nothing',
      [1, 4].map((tag) => ({ program: COMPUTE_BUDGET, data: [tag, ...u32(9)] })),
      5_000n,
    ],
  ])('%s', (_, budget, lamports) => {
    expect(feeOf(...budget, transfer)).toBe(lamports);
  });

  test('without a limit many instructions reach the highest one', () => {
    const many = Array.from({ length: 9 }, () => transfer);
    expect(feeOf(unitPrice(1_000_000n), ...many)).toBe(1_405_000n);
  });

  test.each([
    ['Ed25519SigVerify111111111111111111111111111', 'ed25519'],
    ['KeccakSecp256k11111111111111111111111111111', 'secp256k1'],
    ['Secp256r1SigVerify1111111111111111111111111', 'secp256r1'],
  ])('signatures that %s verifies cost like those of the message', (program) => {
    expect(feeOf(transfer, { program, data: [3, 0] }, { program, data: [255] })).toBe(5_000n * 259n);
    expect(feeOf(transfer, { program, data: [] })).toBe(5_000n);
    expect(readCalls([transfer, { program, data: [3, 0] }]).fullyParsed).toBe(false);
  });

  test('no limit and price make the fee less than they cost', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.integer({ min: 1, max: 12 }),
        (units, price, count) => {
          const transfers = Array.from({ length: count }, () => transfer);
          const fee = feeOf(unitLimit(units), unitPrice(price), ...transfers);
          const used = BigInt(Math.min(units, 1_400_000));
          expect((fee - 5_000n) * 1_000_000n >= price * used).toBe(true);
          expect((fee - 5_001n) * 1_000_000n < price * used || fee === 5_000n).toBe(true);
          // What the runtime reserves without a limit is never more than what is told.
          const open = feeOf(unitPrice(price), ...transfers);
          const reserved = BigInt(Math.min(200_000 * count, 1_400_000));
          expect((open - 5_000n) * 1_000_000n >= price * reserved).toBe(true);
        },
      ),
    );
  });
});
