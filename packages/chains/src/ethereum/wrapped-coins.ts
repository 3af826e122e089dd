/** A contract by its address, with its EIP-55 checksum, and the chains on which it is the same. */
interface Contract {
  readonly address: string;
  readonly chains: readonly number[];
}

/**
 * WETH9 and its likes: one token for one coin of the chain, in both directions. In November 2026 the rows were found in copies of public
 * pages: most in Uniswap/docs and Uniswap/sdks, those of Gnosis, Linea and Scroll in Aave's address book, those of zkSync Era, Arbitrum Nova
 * and Holesky in several public repositories that name the chain. `0x4200…0006` is at the same address on every rollup of the OP Stack.
 */
export const wrappedCoins: readonly Contract[] = [
  { address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', chains: [1] },
  // OP Mainnet, Base, Unichain, World Chain, Soneium, Mode, Ink, Zora, Base Sepolia and OP Sepolia.
  {
    address: '0x4200000000000000000000000000000000000006',
    chains: [10, 8453, 130, 480, 1868, 34443, 57073, 7777777, 84532, 11155420],
  },
  { address: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', chains: [56] },
  { address: '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d', chains: [100] },
  { address: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', chains: [137] },
  { address: '0x5AEa5775959fBC2557Cc8789bC1bf90A239D9a91', chains: [324] },
  { address: '0x94373a4919B3240D86eA41593D5eBa789FEF3848', chains: [17000] },
  { address: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', chains: [42161] },
  { address: '0x722E8BdD2ce80A4422E880164f2079488e115365', chains: [42170] },
  { address: '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7', chains: [43114] },
  { address: '0xe5D7C2a44FfDDf6b295A15c148167daaAf5Cf34f', chains: [59144] },
  { address: '0x5300000000000000000000000000000000000004', chains: [534352] },
  { address: '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14', chains: [11155111] },
];

/** Contracts through which the coin itself moves like a token: a transfer changes the balance of the coin. POL on Polygon, CELO on Celo. */
const coinsAsTokens: readonly Contract[] = [
  { address: '0x0000000000000000000000000000000000001010', chains: [137] },
  { address: '0x471EcE3750Da237f93B8E339c536989b8978a438', chains: [42220] },
];

/** The tokens that are the coin of their chain in another form, by CAIP-19 name. All have 18 decimals, as the coins have. */
export const ethereumCoinTokens: readonly (readonly [token: string, coin: string])[] = [
  ...wrappedCoins,
  ...coinsAsTokens,
].flatMap(({ address, chains }) =>
  chains.map((chain) => [`eip155:${chain}/erc20:${address.toLowerCase()}`, `eip155:${chain}/slip44:60`] as const),
);
