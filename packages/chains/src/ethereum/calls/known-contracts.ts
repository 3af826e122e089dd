import { wrappedCoins } from '../wrapped-coins.ts';

/** What a contract is, where its address alone says so. */
export type ContractRole =
  | 'PERMIT2'
  | 'MULTICALL'
  | 'WRAPPED_COIN'
  | 'MULTI_SEND'
  | 'UNISWAP_V2_ROUTER'
  | 'UNISWAP_V3_ROUTER'
  | 'UNISWAP_V3_ROUTER_2'
  | 'UNIVERSAL_ROUTER'
  | 'SEAPORT';

interface Deployment {
  readonly role: ContractRole;
  /** With its EIP-55 checksum. */
  readonly address: string;
  readonly chains: readonly number[];
}

/** Ethereum, OP, BNB, Gnosis, Polygon, Base, Arbitrum One, Avalanche and Sepolia. */
const common = [1, 10, 56, 100, 137, 8453, 42161, 43114, 11155111];

/**
 * Contracts that all users share. In November 2026 every address was found, for each of its chains, in copies of the publishers' pages:
 * Uniswap/docs and Uniswap/sdks (routers, Permit2), safe-global/safe-deployments, mds1/multicall3
 * and makerdao/multicall, the README of Seaport and ProjectOpenSea/opensea-js. No contract was asked.
 * SECURITY: a wrong row would make a stranger's contract look understood. Add a row only from the publisher's own page.
 */
export const deployments: readonly Deployment[] = [
  {
    role: 'PERMIT2',
    address: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
    chains: [1, 10, 56, 137, 8453, 42161, 43114, 11155111],
  },
  { role: 'MULTICALL', address: '0xcA11bde05977b3631167028862bE2a173976CA11', chains: [...common, 59144, 534352] },
  // Multicall and Multicall2, the forerunners.
  { role: 'MULTICALL', address: '0xeefBa1e63905eF1D7ACbA5a8513c70307C1cE441', chains: [1] },
  { role: 'MULTICALL', address: '0x5BA1e12693Dc8F9c48aAD8770482f4739bEeD696', chains: [1] },

  ...wrappedCoins.map(({ address, chains }) => ({ role: 'WRAPPED_COIN' as const, address, chains })),

  // Safe: MultiSend and MultiSendCallOnly of 1.3.0 (each in two deployments) and 1.4.1, and MultiSend of 1.1.1.
  { role: 'MULTI_SEND', address: '0x8D29bE29923b68abfDD21e541b9374737B49cdAD', chains: [1, 100] },
  { role: 'MULTI_SEND', address: '0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761', chains: common },
  { role: 'MULTI_SEND', address: '0x998739BFdAAdde7C933B942a68053933098f9EDa', chains: common },
  { role: 'MULTI_SEND', address: '0x40A2aCCbd92BCA938b02010E17A5b8929b49130D', chains: common },
  { role: 'MULTI_SEND', address: '0xA1dabEF33b3B82c7814B6D82A79e50F4AC44102B', chains: common },
  { role: 'MULTI_SEND', address: '0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526', chains: common },
  { role: 'MULTI_SEND', address: '0x9641d764fc13c8B624c04430C7356C1C7C8102e2', chains: common },

  { role: 'UNISWAP_V2_ROUTER', address: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D', chains: [1] },
  { role: 'UNISWAP_V2_ROUTER', address: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24', chains: [56, 8453, 42161, 43114] },
  { role: 'UNISWAP_V2_ROUTER', address: '0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2', chains: [10] },
  { role: 'UNISWAP_V2_ROUTER', address: '0xedf6066a2b290C185783862C7F4776A2C8077AD1', chains: [137] },
  { role: 'UNISWAP_V2_ROUTER', address: '0xeE567Fe1712Faf6149d80dA1E6934E354124CfE3', chains: [11155111] },
  { role: 'UNISWAP_V3_ROUTER', address: '0xE592427A0AEce92De3Edee1F18E0157C05861564', chains: [1, 10, 137, 42161] },
  { role: 'UNISWAP_V3_ROUTER_2', address: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45', chains: [1, 10, 137, 42161] },
  { role: 'UNISWAP_V3_ROUTER_2', address: '0x2626664c2603336E57B271c5C0b26F421741e481', chains: [8453] },
  { role: 'UNIVERSAL_ROUTER', address: '0x3fC91A3afd70395Cd496C647d5a6CC9D4B2b7FAD', chains: [1, 8453] },
  { role: 'UNIVERSAL_ROUTER', address: '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af', chains: [1] },
  { role: 'UNIVERSAL_ROUTER', address: '0x851116D9223fabED8E56C0E6b8Ad0c31d98B3507', chains: [10] },
  { role: 'UNIVERSAL_ROUTER', address: '0x1095692A6237d83C6a72F3F5eFEdb9A670C49223', chains: [137] },
  { role: 'UNIVERSAL_ROUTER', address: '0x6fF5693b99212Da76ad316178A184AB56D299b43', chains: [8453] },
  { role: 'UNIVERSAL_ROUTER', address: '0xA51afAFe0263b40EdaEf0Df8781eA9aa03E381a3', chains: [42161] },

  // Seaport 1.4, 1.5 and 1.6. One type of orders serves all three.
  { role: 'SEAPORT', address: '0x00000000000001ad428e4906aE43D8F9852d0dD6', chains: [1, 10, 137, 42161, 43114] },
  { role: 'SEAPORT', address: '0x00000000000000ADc04C56Bf30aC9d3c0aAF14dC', chains: [1, 10, 137, 8453, 42161, 43114] },
  { role: 'SEAPORT', address: '0x0000000000000068F116a894984e2DB1123eB395', chains: [1, 10, 137, 8453, 42161, 43114] },
];

const roles: ReadonlyMap<string, ContractRole> = new Map(
  deployments.flatMap(({ role, address, chains }) =>
    chains.map((chainId) => [`${chainId}:${address.toLowerCase()}`, role] as const),
  ),
);

/** The known contract at a lower-case address. Undefined if it is not in the table. */
export function roleOf(chainId: bigint | undefined, address: string): ContractRole | undefined {
  return roles.get(`${chainId}:${address}`);
}
