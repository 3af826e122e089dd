/** A network that people choose by name. */
export interface Network {
  readonly label: string;
  /** The unit of its fees in the policy language, where the coin of every EVM network is written as ETH. */
  readonly unit: string;
}

/** The networks that people choose from, by CAIP-2 name. */
export const networks: Readonly<Record<string, Network>> = {
  'eip155:1': { label: 'Ethereum', unit: 'ETH' },
  'eip155:8453': { label: 'Base', unit: 'ETH' },
  'eip155:42161': { label: 'Arbitrum One', unit: 'ETH' },
  'eip155:10': { label: 'OP Mainnet', unit: 'ETH' },
  'eip155:137': { label: 'Polygon', unit: 'ETH' },
  'eip155:56': { label: 'BNB Smart Chain', unit: 'ETH' },
  'eip155:43114': { label: 'Avalanche C-Chain', unit: 'ETH' },
  'eip155:11155111': { label: 'Sepolia', unit: 'ETH' },
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': { label: 'Solana', unit: 'SOL' },
  'tron:0x2b6653dc': { label: 'Tron', unit: 'TRX' },
  'bip122:000000000019d6689c085ae165831e93': { label: 'Bitcoin', unit: 'BTC' },
};
