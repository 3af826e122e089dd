import { shippedTokens } from '@countersign/chains';
import { type CompiledPolicy, type Literals, literalsOf } from '@countersign/policy';

/** The literals of a policy by what they are, to try requests with that its condition could hold for. */
export interface Seeds {
  readonly condition: (path: string) => readonly string[];
  readonly consensus: (path: string) => readonly string[];
  /** Every text in the condition. */
  readonly texts: readonly string[];
  /** The chain id of Ethereum transactions. */
  readonly chainId: bigint;
  /** Contracts that the condition names, and the stablecoin of its chain, without `0x`. */
  readonly tokens: readonly string[];
  /** Whether the condition reads a namespace. */
  readonly reads: (namespace: string) => boolean;
}

/** The most values of one kind that are tried. */
const MAX_VALUES = 3;
const CHAIN_PATHS = ['eth.tx.chain_id', 'eth.eip_712.domain.chain_id'];

export function seedsOf({ condition, consensus }: CompiledPolicy): Seeds {
  const inCondition = condition && literalsOf(condition);
  const inConsensus = consensus && literalsOf(consensus);
  const texts = (inCondition?.all ?? []).filter((value) => typeof value === 'string');
  const chainId = chainOf(inCondition, texts);
  return {
    condition: (path) => textsAt(inCondition, path),
    consensus: (path) => textsAt(inConsensus, path),
    texts,
    chainId,
    tokens: tokensOf(texts, chainId),
    reads: (namespace) => condition?.uses.some(({ namespace: { path } }) => path === namespace) === true,
  };
}

/** The seeds of two policies that should hold for one request, those of the first first. */
export function joinedSeeds(first: Seeds, second: Seeds): Seeds {
  const both = (texts: (seeds: Seeds) => readonly string[]) => [...new Set([...texts(first), ...texts(second)])];
  return {
    condition: (path) => both((seeds) => seeds.condition(path)),
    consensus: (path) => both((seeds) => seeds.consensus(path)),
    texts: both(({ texts }) => texts),
    // The main chain stands for a policy that names none.
    chainId: second.chainId === 1n ? first.chainId : second.chainId,
    tokens: both(({ tokens }) => tokens),
    reads: (namespace) => first.reads(namespace) || second.reads(namespace),
  };
}

function textsAt(literals: Literals | undefined, path: string): readonly string[] {
  const values = (literals?.comparedWith.get(path) ?? []).filter((value) => typeof value === 'string');
  return [...new Set(values)].slice(0, MAX_VALUES);
}

/** The chain that a condition names, or the main chain. */
function chainOf(literals: Literals | undefined, texts: readonly string[]): bigint {
  const named = CHAIN_PATHS.flatMap((path) => literals?.comparedWith.get(path) ?? []).filter(
    (value) => typeof value === 'bigint',
  );
  const inAssets = texts.flatMap((text) => /^eip155:(\d{1,15})\//.exec(text)?.[1] ?? []).map(BigInt);
  const all = [...named, ...inAssets];
  return all.includes(1n) ? 1n : (all[0] ?? 1n);
}

function tokensOf(texts: readonly string[], chainId: bigint): readonly string[] {
  const stablecoins = [...shippedTokens].filter(
    ([id, { symbol }]) => id.startsWith(`eip155:${chainId}/erc20:`) && symbol === 'USDC',
  );
  const names = [...stablecoins.map(([id]) => id), ...texts];
  const addresses = names.flatMap((text) => /0x([0-9a-fA-F]{40})$/.exec(text)?.[1]?.toLowerCase() ?? []);
  const known = [...new Set(addresses)].slice(0, MAX_VALUES);
  return known.length > 0 ? known : ['a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'];
}
