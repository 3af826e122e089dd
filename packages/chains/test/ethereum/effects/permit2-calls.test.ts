import { describe, expect, test } from 'vitest';
import { dai, daiAsset, effectsOf, encode, friend, permit2, self, send, stranger, usdc, usdcAsset } from './support.ts';

const details = '(address token, uint160 amount, uint48 expiration, uint48 nonce)';
const call = (signature: string, args: readonly unknown[], to: string = permit2) => send({ to, data: encode(signature, args) });

describe('Permit2', () => {
  const approve = 'function approve(address token, address spender, uint160 amount, uint48 expiration)';

  test('approve lets a spender take until a time', () => {
    const parsed = call(approve, [usdc, friend, 5_000_000n, 1_800_000_000]);
    expect(effectsOf(parsed)).toEqual([
      {
        kind: 'ALLOWANCE',
        asset: usdcAsset,
        amount: 5_000_000n,
        from: self,
        to: friend,
        unlimited: false,
        expires: 1_800_000_000n,
      },
    ]);
    expect(parsed).toMatchObject({ fullyParsed: true });
    expect(parsed.description).toContain('spend 5 USDC until 2027-01-15 08:00');
  });

  test.each([
    [2n ** 159n - 1n, false],
    [2n ** 159n, true],
    [2n ** 160n - 1n, true],
  ])('%s units are unlimited: %s', (amount, unlimited) => {
    expect(effectsOf(call(approve, [usdc, friend, amount, 1]))).toMatchObject([{ kind: 'ALLOWANCE', unlimited }]);
  });

  test('permits, for one token and for several', () => {
    const permit = { token: usdc, amount: 5n, expiration: 9, nonce: 0 };
    const one = call(
      `function permit(address owner, (${details} details, address spender, uint256 sigDeadline) permitSingle, bytes signature)`,
      [stranger, { details: permit, spender: friend, sigDeadline: 1n }, '0x1234'],
    );
    expect(effectsOf(one)).toMatchObject([{ kind: 'ALLOWANCE', asset: usdcAsset, from: stranger, to: friend, expires: 9n }]);
    const two = call(
      `function permit(address owner, (${details}[] details, address spender, uint256 sigDeadline) permitBatch, bytes signature)`,
      [
        stranger,
        { details: [permit, { ...permit, token: dai, amount: 2n ** 160n - 1n }], spender: friend, sigDeadline: 1n },
        '0x1234',
      ],
    );
    expect(effectsOf(two)).toMatchObject([
      { asset: usdcAsset, unlimited: false },
      { asset: daiAsset, unlimited: true },
    ]);
    expect(one.fullyParsed && two.fullyParsed).toBe(true);
  });

  test('transfers by allowance and by permit', () => {
    expect(
      effectsOf(
        call('function transferFrom(address from, address to, uint160 amount, address token)', [stranger, friend, 5n, usdc]),
      ),
    ).toEqual([{ kind: 'TRANSFER', asset: usdcAsset, amount: 5n, from: stranger, to: friend }]);
    const signature =
      'function permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)';
    const permit = { permitted: { token: usdc, amount: 9n }, nonce: 0n, deadline: 1n };
    expect(effectsOf(call(signature, [permit, { to: friend, requestedAmount: 4n }, stranger, '0x']))).toEqual([
      { kind: 'TRANSFER', asset: usdcAsset, amount: 4n, from: stranger, to: friend },
    ]);
  });

  test('lockdown takes allowances back', () => {
    const parsed = call('function lockdown((address token, address spender)[] approvals)', [[{ token: usdc, spender: friend }]]);
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'ALLOWANCE', amount: 0n, to: friend }]);
  });

  test('D68: the same calls to another contract, or on a chain without Permit2, are unknown', () => {
    const data = encode(approve, [usdc, friend, 5n, 1]);
    for (const parsed of [send({ to: stranger, data }), send({ to: permit2, data, chainId: 1337 })]) {
      expect(effectsOf(parsed)).toMatchObject([{ kind: 'UNKNOWN' }]);
      expect(parsed.fullyParsed).toBe(false);
    }
  });
});
