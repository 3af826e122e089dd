import { policyOptions } from '@countersign/judgement';
import type { Answers } from './answers.ts';

/** A network of the form. */
export interface Network {
  readonly label: string;
  /** The unit of its fees in the policy language, where the coin of every EVM network is written as ETH. */
  readonly unit: string;
}

/** The networks of the form by CAIP-2 name. */
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

/** Whether a text is the name of a shipped asset that policies can write without quotes. */
export const isAssetName = (text: string) => /^[A-Za-z]\w*$/.test(text) && policyOptions.assets?.has(text) === true;

/** The EVM chain id of a network. Undefined for networks of other chains. */
export const chainIdOf = (network: string) => /^eip155:([1-9]\d{0,15})$/.exec(network)?.[1];

/** The names of the shipped assets of a network. */
export function assetsOn(network: string): readonly string[] {
  return [...(policyOptions.assets ?? [])].flatMap(([name, { byChain }]) =>
    byChain.has(network) && isAssetName(name) ? [name] : [],
  );
}

/** The network of a policy: the stated one, or the one that its asset is on. */
export function networkOf({ network, asset }: Pick<Answers, 'network' | 'asset'>): string {
  if (network !== '') return network;
  return policyOptions.assets?.get(asset)?.home ?? /^([^/]+)\//.exec(asset)?.[1] ?? 'eip155:1';
}

/** The unit of the fees of a policy. */
export const feeUnit = (answers: Pick<Answers, 'network' | 'asset'>) => networks[networkOf(answers)]?.unit ?? 'ETH';

/**
 * The CAIP-19 name that a policy has to write for a shipped asset, because nothing else states the network. Undefined if the plain name
 * means it.
 */
export function assetId(name: string, network: string): string | undefined {
  const asset = policyOptions.assets?.get(name);
  const isStated = network === '' || chainIdOf(network) !== undefined;
  return asset === undefined || isStated || asset.home === network ? undefined : asset.byChain.get(network)?.id;
}

/** The shipped asset with a CAIP-19 name. */
export function assetNamed(id: string): { readonly name: string; readonly network: string } | undefined {
  for (const [name, { byChain }] of policyOptions.assets ?? [])
    for (const [network, entry] of byChain) if (entry.id === id) return { name, network };
  return undefined;
}
