import { policyOptions } from '@countersign/judgement';
import { networks } from '../../../data/networks.ts';
import type { Answers } from './answers.ts';

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
