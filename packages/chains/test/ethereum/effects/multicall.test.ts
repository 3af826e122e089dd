import { describe, expect, test } from 'vitest';
import { effectsOf, encode, ether, friend, self, send, stranger, usdc, usdcAsset } from './support.ts';

const multicall3 = '0xca11bde05977b3631167028862be2a173976ca11';
const aggregate3 = 'function aggregate3((address target, bool allowFailure, bytes callData)[] calls)';
const transfer = encode('function transfer(address to, uint256 value)', [friend, 5n]);
const pull = encode('function transferFrom(address from, address to, uint256 value)', [self, stranger, 5n]);

describe('D42: a multicall is opened', () => {
  test('the contract itself is the caller of the inner calls', () => {
    const calls = [
      { target: usdc, allowFailure: false, callData: transfer },
      { target: usdc, allowFailure: true, callData: pull },
    ];
    const parsed = send({ to: multicall3, data: encode(aggregate3, [calls]) });
    expect(effectsOf(parsed)).toEqual([
      { kind: 'TRANSFER', asset: usdcAsset, amount: 5n, from: multicall3, to: friend },
      { kind: 'TRANSFER', asset: usdcAsset, amount: 5n, from: self, to: stranger },
    ]);
    expect(parsed.fullyParsed).toBe(true);
    expect(parsed.description).toContain('of 0xcA11bde05977b3631167028862bE2a173976CA11 to');
  });

  test.each([
    ['aggregate', 'function aggregate((address target, bytes callData)[] calls)', (calls: unknown) => [calls]],
    [
      'tryAggregate',
      'function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls)',
      (calls: unknown) => [true, calls],
    ],
  ])('%s', (_, signature, args) => {
    const parsed = send({ to: multicall3, data: encode(signature, args([{ target: usdc, callData: transfer }])) });
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'TRANSFER', from: multicall3 }]);
  });

  test('coins for inner calls', () => {
    const signature = 'function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls)';
    const calls = [{ target: friend, allowFailure: false, value: 4n, callData: '0x' }];
    expect(effectsOf(send({ to: multicall3, value: 4n, data: encode(signature, [calls]) }))).toEqual([
      { kind: 'TRANSFER', asset: ether, amount: 4n, from: self, to: multicall3 },
      { kind: 'TRANSFER', asset: ether, amount: 4n, from: multicall3, to: friend },
    ]);
  });

  test('an inner call that is unknown is listed as such', () => {
    const parsed = send({
      to: multicall3,
      data: encode(aggregate3, [[{ target: stranger, allowFailure: true, callData: '0x12345678' }]]),
    });
    expect(effectsOf(parsed)).toEqual([{ kind: 'UNKNOWN', what: 'unknown call', to: stranger, bytes: 4 }]);
    expect(parsed.fullyParsed).toBe(false);
  });

  test('D68: the same call to another contract is unknown', () => {
    const data = encode(aggregate3, [[{ target: usdc, allowFailure: false, callData: transfer }]]);
    expect(effectsOf(send({ to: stranger, data }))).toMatchObject([{ kind: 'UNKNOWN' }]);
  });
});

describe('D41: bombs of calls stay bounded', () => {
  test('many calls', () => {
    const calls = Array.from({ length: 500 }, () => ({ target: usdc, allowFailure: true, callData: transfer }));
    const parsed = send({ to: multicall3, data: encode(aggregate3, [calls]) });
    expect(parsed.effects.length).toBeLessThanOrEqual(102);
    expect(effectsOf(parsed).at(-1)).toMatchObject({ kind: 'UNKNOWN', what: 'further calls' });
    expect(parsed.fullyParsed).toBe(false);
    expect(parsed.description).toContain('MORE EFFECTS that are not listed here');
  });

  test('calls within calls within calls', () => {
    let data = transfer;
    for (let depth = 0; depth < 20; depth++)
      data = encode(aggregate3, [[{ target: multicall3, allowFailure: true, callData: data }]]);
    const parsed = send({ to: multicall3, data });
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'UNKNOWN', what: 'further calls' }]);
    expect(parsed.fullyParsed).toBe(false);
  });

  test('a tree of calls', () => {
    let data = transfer;
    for (let depth = 0; depth < 3; depth++) {
      const calls = Array.from({ length: 5 }, () => ({
        target: depth === 0 ? usdc : multicall3,
        allowFailure: true,
        callData: data,
      }));
      data = encode(aggregate3, [calls]);
    }
    const parsed = send({ to: multicall3, data });
    expect(parsed.effects.length).toBeLessThanOrEqual(102);
    expect(parsed.fullyParsed).toBe(false);
  });
});
