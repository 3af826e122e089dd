import { hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { AbiFunction } from 'ox';
import { expect, test } from 'vitest';
import { deployments } from '../../../src/ethereum/calls/known-contracts.ts';
import { hexOf } from '../arbitrary-transactions.ts';
import { dai, encode, friend, self, send, stranger, usdc, weth } from './support.ts';

const known = deployments.filter(({ chains }) => chains.includes(1)).map(({ address }) => address.toLowerCase());
const targets = fc.constantFrom(...known, usdc, dai, weth, stranger);
const multicall3 = '0xca11bde05977b3631167028862be2a173976ca11';

/** Calls by an independent encoder, as seeds for mutation. Only the first two have nothing but fixed arguments. */
const functions = [
  ['function transfer(address to, uint256 value)', [friend, 5n], usdc],
  ['function approve(address spender, uint256 value)', [friend, 2n ** 255n], dai],
  ['function aggregate((address target, bytes callData)[] calls)', [[{ target: friend, callData: '0x' }]], multicall3],
  [
    'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
    [1n, 2n, [usdc, dai], self, 3n],
    '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
  ],
  [
    'function approve(address token, address spender, uint160 amount, uint48 expiration)',
    [usdc, friend, 5n, 6],
    '0x000000000022d473030f116ddee9f6b43ac78ba3',
  ],
] as const;

test('D40: random call data for known and unknown contracts never throws and is never fully parsed', () => {
  fc.assert(
    fc.property(targets, hexOf({ minLength: 1, maxLength: 300 }), (to, data) => {
      const parsed = send({ to, data });
      expect(parsed.fullyParsed).toBe(false);
      expect(parsed.effects.some(({ kind }) => kind === 'UNKNOWN')).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('D40: the selectors of known functions with random arguments never throw', () => {
  const selectors = ['6a761202', '82ad56cb', '3593564c', 'ac9650d8', '5ae401dc', '2b67b570', '23b872dd', '8d80ff0a', '2eb2c2d6'];
  fc.assert(
    fc.property(targets, fc.constantFrom(...selectors), hexOf({ maxLength: 400 }), (to, selector, rest) => {
      const parsed = send({ to, data: `0x${selector}${rest.slice(2)}` });
      expect(parsed.unparsed.length > 0).toBe(!parsed.fullyParsed);
    }),
    { numRuns: 200 },
  );
});

test('D40: what is fully parsed encodes to the same bytes again', () => {
  const seeds = functions.map(([signature, args, to]) => ({ signature, to, data: encode(signature, args) }));
  fc.assert(
    fc.property(fc.constantFrom(...seeds), fc.nat(), fc.integer({ min: 0, max: 255 }), fc.boolean(), (seed, at, byte, cut) => {
      const bytes = hexToBytes(seed.data.slice(2));
      const position = at % bytes.length;
      bytes[position] = byte;
      const mutated = `0x${Buffer.from(cut ? bytes.subarray(0, position) : bytes).toString('hex')}` as const;
      const parsed = send({ to: seed.to, data: mutated });
      if (!parsed.fullyParsed || mutated === '0x') return;
      const abi = AbiFunction.from(seed.signature as never) as AbiFunction.AbiFunction;
      // Another selector may be another function that the contract has. Its arguments are then fixed words only.
      if (mutated.slice(0, 10) !== AbiFunction.getSelector(abi)) return;
      const args = AbiFunction.decodeData(abi as never, mutated) as readonly unknown[];
      expect(AbiFunction.encodeData(abi as never, args as never)).toBe(mutated);
    }),
    { numRuns: 400 },
  );
});
