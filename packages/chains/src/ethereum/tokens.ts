/** A row: the symbol, the contract with its EIP-55 checksum, and the decimals. */
type Row = readonly [symbol: string, address: string, decimals: number];

/**
 * The largest ERC-20 tokens by chain id. In November 2026 every row was found, for its chain, in copies of public lists: most in Aave's
 * address book (bgd-labs/aave-address-book), the others in Uniswap's default token list, Trust Wallet's assets, Etherscan, and for
 * Sepolia the pages of Circle and Uniswap. No contract was asked. A test checks every EIP-55 checksum.
 * Symbols are those of the lists, with three exceptions: USDC of a bridge has the suffix `.e`, WMATIC is WPOL since its renaming, and
 * Tether's contracts on Polygon and Arbitrum are USDT0, as public repositories that follow docs.usdt0.to say.
 * SECURITY: a wrong row would make a stranger's token look like a known one. Add a row only from the issuer's page or such a list.
 */
export const ethereumTokens: { readonly [chainId: string]: readonly Row[] } = {
  // Ethereum
  1: [
    ['USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6],
    ['USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6],
    ['DAI', '0x6B175474E89094C44Da98b954EedeAC495271d0F', 18],
    ['USDS', '0xdC035D45d973E3EC169d2276DDab16f1e407384F', 18],
    ['USDe', '0x4c9EDD5852cd905f086C759E8383e09bff1E68B3', 18],
    ['PYUSD', '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8', 6],
    ['EURC', '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c', 6],
    ['FRAX', '0x853d955aCEf822Db058eb8505911ED77F175b99e', 18],
    ['LUSD', '0x5f98805A4E8be255a32880FDeC7F6728C6568bA0', 18],
    ['GHO', '0x40D16FC0246aD3160Ccc09B8D0D3A2cD28aE6C2f', 18],
    ['WETH', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 18],
    ['stETH', '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84', 18],
    ['wstETH', '0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0', 18],
    ['rETH', '0xae78736Cd615f374D3085123A210448E74Fc6393', 18],
    ['cbETH', '0xBe9895146f7AF43049ca1c1AE358B0541Ea49704', 18],
    ['WBTC', '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 8],
    ['cbBTC', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', 8],
    ['LINK', '0x514910771AF9Ca656af840dff83E8264EcF986CA', 18],
    ['UNI', '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984', 18],
    ['AAVE', '0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9', 18],
    ['MKR', '0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2', 18],
    ['LDO', '0x5A98FcBEA516Cf06857215779Fd812CA3beF1B32', 18],
    ['CRV', '0xD533a949740bb3306d119CC777fa900bA034cd52', 18],
    ['COMP', '0xc00e94Cb662C3520282E6f5717214004A7f26888', 18],
    ['SHIB', '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE', 18],
    ['PEPE', '0x6982508145454Ce325dDbE47a25d4ec3d2311933', 18],
    ['ENS', '0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72', 18],
  ],
  // OP Mainnet
  10: [
    ['USDC', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 6],
    ['USDC.e', '0x7F5c764cBc14f9669B88837ca1490cCa17c31607', 6],
    ['USDT', '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', 6],
    ['DAI', '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', 18],
    ['WETH', '0x4200000000000000000000000000000000000006', 18],
    ['OP', '0x4200000000000000000000000000000000000042', 18],
    ['WBTC', '0x68f180fcCe6836688e9084f035309E29Bf0A2095', 8],
    ['wstETH', '0x1F32b1c2345538c0c6f582fCB022739c4A194Ebb', 18],
  ],
  // BNB Smart Chain
  56: [
    ['USDT', '0x55d398326f99059fF775485246999027B3197955', 18],
    ['USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18],
    ['WBNB', '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', 18],
    ['BTCB', '0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c', 18],
    ['ETH', '0x2170Ed0880ac9A755fd29B2688956BD959F933F8', 18],
  ],
  // Gnosis
  100: [['WXDAI', '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d', 18]],
  // Polygon
  137: [
    ['USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6],
    ['USDC.e', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', 6],
    ['USDT0', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6],
    ['DAI', '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063', 18],
    ['WETH', '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619', 18],
    ['WPOL', '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', 18],
    ['WBTC', '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6', 8],
  ],
  // Base
  8453: [
    ['USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 6],
    ['USDbC', '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', 6],
    ['DAI', '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', 18],
    ['WETH', '0x4200000000000000000000000000000000000006', 18],
    ['cbETH', '0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22', 18],
    ['cbBTC', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', 8],
    ['EURC', '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42', 6],
  ],
  // Arbitrum One
  42161: [
    ['USDC', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 6],
    ['USDC.e', '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8', 6],
    ['USDT0', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 6],
    ['DAI', '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', 18],
    ['WETH', '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', 18],
    ['ARB', '0x912CE59144191C1204E64559FE8253a0e49E6548', 18],
    ['WBTC', '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', 8],
    ['wstETH', '0x5979D7b546E38E414F7E9822514be443A4800529', 18],
  ],
  // Avalanche C-Chain
  43114: [
    ['USDC', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 6],
    ['USDt', '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', 6],
    ['WAVAX', '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7', 18],
  ],
  // Linea
  59144: [
    ['USDC', '0x176211869cA2b568f2A7D4EE941E073a821EE1ff', 6],
    ['WETH', '0xe5D7C2a44FfDDf6b295A15c148167daaAf5Cf34f', 18],
  ],
  // Scroll
  534352: [
    ['USDC', '0x06eFdBFf2a14a7c8E15944D1F4A48F9F95F663A4', 6],
    ['WETH', '0x5300000000000000000000000000000000000004', 18],
  ],
  // Sepolia
  11155111: [
    ['USDC', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', 6],
    ['WETH', '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14', 18],
  ],
};
