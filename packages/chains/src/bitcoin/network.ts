import type { BitcoinNetwork } from '../addresses/bitcoin.ts';
import { invalidTransaction } from '../shared/refusal.ts';

export type NetworkName = BitcoinNetwork;

/** The scripts that pay a single key, by the names of the address formats. */
export const scriptKinds = ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'] as const;

export type ScriptKind = (typeof scriptKinds)[number];

/** The network and scripts that the address format of a key implies. */
interface KeyUse {
  readonly network: NetworkName;
  readonly kinds: readonly ScriptKind[];
}

const format = /^ADDRESS_FORMAT_BITCOIN_(MAINNET|TESTNET|SIGNET|REGTEST)_(P2PKH|P2SH|P2WPKH|P2WSH|P2TR)$/;

/** Formats that spell out the key itself. They say nothing about network or script. */
const keyFormats = [undefined, 'ADDRESS_FORMAT_COMPRESSED', 'ADDRESS_FORMAT_UNCOMPRESSED'];

/**
 * The network and scripts that an address format implies. A signer named without an address means the main network and every
 * kind of script. Throws for an address of another chain.
 */
export function keyUse(addressFormat: string | undefined): KeyUse {
  if (keyFormats.includes(addressFormat)) return { network: 'MAINNET', kinds: scriptKinds };
  const [, network, kind] = format.exec(addressFormat as string) ?? [];
  if (network === undefined) throw invalidTransaction('the address of the signer is not a Bitcoin address');
  return { network: network as NetworkName, kinds: [kind as ScriptKind] };
}
