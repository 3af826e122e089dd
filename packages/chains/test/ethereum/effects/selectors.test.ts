import { describe, expect, test } from 'vitest';
import { erc721, erc1155 } from '../../../src/ethereum/calls/collections.ts';
import { erc20 } from '../../../src/ethereum/calls/erc20.ts';
import { multicall } from '../../../src/ethereum/calls/multicall.ts';
import { permit2 } from '../../../src/ethereum/calls/permit2.ts';
import { safe } from '../../../src/ethereum/calls/safe.ts';
import type { FunctionTable } from '../../../src/ethereum/calls/scope.ts';
import { uniswapV2Router } from '../../../src/ethereum/calls/uniswap-v2.ts';
import { uniswapV3Router, uniswapV3Router2 } from '../../../src/ethereum/calls/uniswap-v3.ts';
import { universalRouter } from '../../../src/ethereum/calls/universal-router.ts';
import { wrappedCoin } from '../../../src/ethereum/calls/wrapped-coin.ts';

/** Selectors as block explorers and verified contracts have them. A parameter of a wrong type would give another one. */
const published: readonly (readonly [string, FunctionTable, readonly string[]])[] = [
  ['ERC-20', erc20, ['a9059cbb', '23b872dd', '095ea7b3', '39509351', 'a457c2d7', 'd505accf', '8fcbaf0c', 'e3ee160e', 'ef55bec6']],
  ['ERC-721', erc721, ['23b872dd', '42842e0e', 'b88d4fde', '095ea7b3', 'a22cb465']],
  ['ERC-1155', erc1155, ['f242432a', '2eb2c2d6', 'a22cb465']],
  ['WETH', wrappedCoin, ['d0e30db0', '2e1a7d4d']],
  [
    'Permit2',
    permit2,
    ['87517c45', '2b67b570', '2a2d80d1', '36c78516', '0d58b1db', 'cc53287f', '30f28b7a', '137c29fe', 'edd9444b'],
  ],
  ['Multicall', multicall, ['252dba42', 'c3077fa9', 'bce38bd7', '399542e9', '82ad56cb', '174dea71']],
  ['Safe', safe, ['6a761202', '0d582f13', 'f8dc5dd9', 'e318b52b', '694e80c3', '610b5925', 'e009cfde', 'e19a9dd9', 'f08a0323']],
  [
    'Uniswap V2 Router02',
    uniswapV2Router,
    ['38ed1739', '5c11d795', '8803dbee', '18cbafe5', '791ac947', '4a25d94a', '7ff36ab5', 'b6f9de95', 'fb3bdb41'],
  ],
  [
    'Uniswap V3 SwapRouter',
    uniswapV3Router,
    ['414bf389', 'db3e2198', 'c04b8d59', 'f28c0498', 'ac9650d8', '49404b7c', 'df2ab5bb', '12210e8a', 'f3995c67'],
  ],
  [
    'Uniswap SwapRouter02',
    uniswapV3Router2,
    [
      '04e45aaf',
      '5023b4df',
      'b858183f',
      '09b81346',
      'ac9650d8',
      '5ae401dc',
      '1f0464d1',
      '49404b7c',
      '49616997',
      'df2ab5bb',
      'e90a182f',
      '12210e8a',
      'f3995c67',
      '1c58db4f',
      'f2d5d56b',
      '472b43f3',
      '42712a67',
    ],
  ],
  ['Universal Router', universalRouter, ['3593564c', '24856bc3']],
];

describe('built-in functions', () => {
  test.each(published)('%s has the published selectors', (_, table, selectors) => {
    expect([...table].map(([selector]) => selector).sort()).toEqual(selectors.map((selector) => `0x${selector}`).sort());
  });
});
