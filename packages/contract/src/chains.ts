/**
 * The chains whose transactions the service reads and signs, with their wire names. `isSpecified`: the specification has the transaction
 * type; the others are for the compatible base path only. Parsers are in the package `chains`, which does not compile without them.
 */
export const chains = {
  ethereum: { name: 'Ethereum', transactionType: 'TRANSACTION_TYPE_ETHEREUM', curve: 'CURVE_SECP256K1', isSpecified: true },
  solana: { name: 'Solana', transactionType: 'TRANSACTION_TYPE_SOLANA', curve: 'CURVE_ED25519', isSpecified: true },
  tron: { name: 'Tron', transactionType: 'TRANSACTION_TYPE_TRON', curve: 'CURVE_SECP256K1', isSpecified: true },
  bitcoin: { name: 'Bitcoin', transactionType: 'TRANSACTION_TYPE_BITCOIN', curve: 'CURVE_SECP256K1', isSpecified: false },
} as const;

type Chains = typeof chains;

/** A chain whose transactions the service reads and signs. */
export type ChainId = keyof Chains;

/** The wire name of a chain's transactions. */
export type TransactionTypeName<Id extends ChainId = ChainId> = Chains[Id]['transactionType'];

type SpecifiedChain = Extract<Chains[ChainId], { readonly isSpecified: true }>;

/** The wire names of transactions that the specification has. */
export const specTransactionTypes: readonly SpecifiedChain['transactionType'][] = Object.values(chains).flatMap((chain) =>
  chain.isSpecified ? [chain.transactionType] : [],
);

/** The wire names of all transactions. */
export const transactionTypes: readonly TransactionTypeName[] = Object.values(chains).map((chain) => chain.transactionType);

/** Wire names of transactions that published clients send and this server does not read. */
export const absentTransactionTypes = ['TRANSACTION_TYPE_TEMPO'] as const;

const names = Object.values(chains).map(({ name }) => name);

/** The names of all chains, for texts: "Ethereum, Solana or Bitcoin". */
export const chainNames: string = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
