import { NETWORK, TEST_NETWORK } from '@scure/btc-signer';
import { invalidTransaction } from '../shared/refusal.ts';

/** The version bytes and the prefix of a network's addresses. */
type AddressPrefixes = typeof NETWORK;

/** The networks of the address formats. Signet has the addresses of testnet. */
export const networks = {
  MAINNET: NETWORK,
  TESTNET: TEST_NETWORK,
  SIGNET: TEST_NETWORK,
  REGTEST: { ...TEST_NETWORK, bech32: 'bcrt' },
} as const satisfies Record<string, AddressPrefixes>;

export type NetworkName = keyof typeof networks;

/** The scripts a single key may be paid by, in the names of the address formats. */
export const scriptKinds = ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'] as const;

export type ScriptKind = (typeof scriptKinds)[number];

/** Where and how a key is used, as far as the name it was called by tells. */
interface KeyUse {
  readonly network: NetworkName;
  readonly kinds: readonly ScriptKind[];
}

const format = /^ADDRESS_FORMAT_BITCOIN_(MAINNET|TESTNET|SIGNET|REGTEST)_(P2PKH|P2SH|P2WPKH|P2WSH|P2TR)$/;

/** Formats that spell out a key and no address: they say nothing about network or script. */
const keyFormats = [undefined, 'ADDRESS_FORMAT_COMPRESSED', 'ADDRESS_FORMAT_UNCOMPRESSED'];

/**
 * The network and the scripts meant by an address format. A key that was named by no address is taken on the main network,
 * with every kind of script. A key that was named by an address of another chain is refused.
 */
export function keyUse(addressFormat: string | undefined): KeyUse {
  if (keyFormats.includes(addressFormat)) return { network: 'MAINNET', kinds: scriptKinds };
  const [, network, kind] = format.exec(addressFormat as string) ?? [];
  if (network === undefined) throw invalidTransaction('the signer was named by an address that is not a Bitcoin address');
  return { network: network as NetworkName, kinds: [kind as ScriptKind] };
}
