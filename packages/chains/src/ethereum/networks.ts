/** An EVM network: its chain id, its name, and the symbol of its coin. Without a symbol the coin is "the native coin". */
interface Network {
  readonly id: bigint;
  readonly name: string;
  readonly coin?: string;
  /** Charges a fee for data that no field of a transaction limits: Scroll, and rollups of the OP Stack. */
  readonly chargesForData?: true;
}

/**
 * The networks that sentences name. Ids and names were compared with the chain definitions of viem in November 2026.
 * SECURITY: a symbol widens policies on symbols and on `ETH`. Add one only together with a decision about stored policies.
 */
const networks: readonly Network[] = [
  { id: 1n, name: 'Ethereum', coin: 'ETH' },
  { id: 10n, name: 'OP Mainnet', coin: 'ETH', chargesForData: true },
  { id: 56n, name: 'BNB Smart Chain', coin: 'BNB' },
  { id: 100n, name: 'Gnosis', coin: 'xDAI' },
  { id: 130n, name: 'Unichain', chargesForData: true },
  { id: 137n, name: 'Polygon', coin: 'POL' },
  { id: 250n, name: 'Fantom' },
  { id: 324n, name: 'ZKsync Era', coin: 'ETH' },
  { id: 480n, name: 'World Chain', chargesForData: true },
  { id: 1_868n, name: 'Soneium', chargesForData: true },
  { id: 5_000n, name: 'Mantle' },
  { id: 8_453n, name: 'Base', coin: 'ETH', chargesForData: true },
  { id: 17_000n, name: 'Holesky', coin: 'ETH' },
  { id: 34_443n, name: 'Mode', chargesForData: true },
  { id: 42_161n, name: 'Arbitrum One', coin: 'ETH' },
  { id: 42_170n, name: 'Arbitrum Nova', coin: 'ETH' },
  { id: 42_220n, name: 'Celo' },
  { id: 43_114n, name: 'Avalanche', coin: 'AVAX' },
  { id: 57_073n, name: 'Ink', chargesForData: true },
  { id: 59_144n, name: 'Linea', coin: 'ETH' },
  { id: 81_457n, name: 'Blast', chargesForData: true },
  { id: 84_532n, name: 'Base Sepolia', chargesForData: true },
  { id: 534_352n, name: 'Scroll', coin: 'ETH', chargesForData: true },
  { id: 560_048n, name: 'Hoodi', coin: 'ETH' },
  { id: 7_777_777n, name: 'Zora', chargesForData: true },
  { id: 11_155_111n, name: 'Sepolia', coin: 'ETH' },
  { id: 11_155_420n, name: 'OP Sepolia', chargesForData: true },
];

const byId: ReadonlyMap<bigint, Network> = new Map(networks.map((network) => [network.id, network]));

/** The chains whose coin is ether. */
export const etherChains: readonly bigint[] = networks.filter(({ coin }) => coin === 'ETH').map(({ id }) => id);

/** The symbol of the coin of a chain. Undefined for a chain that the table does not know, or whose coin it does not name. */
export function coinSymbol(chainId: bigint): string | undefined {
  return byId.get(chainId)?.coin;
}

/** Whether a chain charges for data in addition to gas. */
export function chargesForData(chainId: bigint): boolean {
  return byId.get(chainId)?.chargesForData === true;
}

/** Where a signature is valid, for a sentence: "on Ethereum", or "on chain 424242" for a network that the table does not know. */
export function onNetwork(chainId: bigint): string {
  return `on ${byId.get(chainId)?.name ?? `chain ${chainId}`}`;
}
