import { chains } from '@countersign/contract';
import type { Account } from './account.ts';

/** Address formats that are the public key itself, which no chain owns. */
const ofAnyChain = ['ADDRESS_FORMAT_COMPRESSED', 'ADDRESS_FORMAT_UNCOMPRESSED'];

const entries = Object.entries(chains).map(([id, chain]) => ({ id, ...chain }));

/** The chain of the contract that has an address format. */
export function chainOfFormat(addressFormat: string): (typeof entries)[number] | undefined {
  return entries.find(({ id }) => addressFormat.startsWith(`ADDRESS_FORMAT_${id.toUpperCase()}`));
}

/**
 * The chains whose transactions an account signs: the one of its address, or those of its curve if the address is the public key. The base
 * path of the console takes only those of the specification.
 */
export function signableChains({ addressFormat, curve }: Pick<Account, 'addressFormat' | 'curve'>) {
  const isOfAny = ofAnyChain.includes(addressFormat);
  const own = chainOfFormat(addressFormat)?.id;
  return entries.filter((chain) => chain.isSpecified && (isOfAny ? chain.curve === curve : chain.id === own));
}
