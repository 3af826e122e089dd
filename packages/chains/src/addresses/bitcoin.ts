import { schnorr } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { bech32, bech32m } from '@scure/base';
import { tweakPublicKey } from '../shared/tweak.ts';
import { type AddressFormat, defineAddressFormat } from './address-format.ts';
import { base58CheckEncoding, hash160, requireLength, type TextEncoding } from './encodings.ts';
import type { PublicKey } from './public-key.ts';

interface Network {
  /** Base58Check version bytes. */
  readonly publicKeyHash: number;
  readonly scriptHash: number;
  /** BIP-173 human-readable part. */
  readonly prefix: string;
  /** SLIP-44: 0 for the main network, 1 for test networks. */
  readonly coinType: 0 | 1;
}

interface Script {
  /** The bytes of the output script before and after the payload, and the length of the payload. */
  readonly template: readonly [before: readonly number[], length: number, after: readonly number[]];
  /** Path of the first account. The script's BIP registers the purpose. */
  defaultPath(coinType: number): string;
  payload(key: PublicKey): Uint8Array;
  encoding(network: Network): TextEncoding;
}

const networks = {
  MAINNET: { publicKeyHash: 0x00, scriptHash: 0x05, prefix: 'bc', coinType: 0 },
  TESTNET: { publicKeyHash: 0x6f, scriptHash: 0xc4, prefix: 'tb', coinType: 1 },
  SIGNET: { publicKeyHash: 0x6f, scriptHash: 0xc4, prefix: 'tb', coinType: 1 },
  REGTEST: { publicKeyHash: 0x6f, scriptHash: 0xc4, prefix: 'bcrt', coinType: 1 },
} as const satisfies Record<string, Network>;

const scripts = {
  P2PKH: {
    template: [[0x76, 0xa9, 0x14], 20, [0x88, 0xac]],
    defaultPath: (coinType) => `m/44'/${coinType}'/0'/0/0`,
    payload: (key) => hash160(key.compressed),
    encoding: (network) => base58CheckEncoding(network.publicKeyHash),
  },
  /** BIP-49: P2WPKH nested in P2SH. The redeem script is OP_0 and a push of the 20-byte key hash. */
  P2SH: {
    template: [[0xa9, 0x14], 20, [0x87]],
    defaultPath: (coinType) => `m/49'/${coinType}'/0'/0/0`,
    payload: (key) => hash160(concatBytes(Uint8Array.of(0x00, 0x14), hash160(key.compressed))),
    encoding: (network) => base58CheckEncoding(network.scriptHash),
  },
  P2WPKH: {
    template: [[0x00, 0x14], 20, []],
    defaultPath: (coinType) => `m/84'/${coinType}'/0'/0/0`,
    payload: (key) => hash160(key.compressed),
    encoding: (network) => segwit(network.prefix, 0, 20),
  },
  /** The witness script of a single key: a push of the 33-byte key, then OP_CHECKSIG. */
  P2WSH: {
    template: [[0x00, 0x20], 32, []],
    defaultPath: (coinType) => `m/48'/${coinType}'/0'/2'/0/0`,
    payload: (key) => sha256(concatBytes(Uint8Array.of(0x21), key.compressed, Uint8Array.of(0xac))),
    encoding: (network) => segwit(network.prefix, 0, 32),
  },
  P2TR: {
    template: [[0x51, 0x20], 32, []],
    defaultPath: (coinType) => `m/86'/${coinType}'/0'/0/0`,
    payload: taprootOutputKey,
    encoding: (network) => segwit(network.prefix, 1, 32),
  },
} as const satisfies Record<string, Script>;

export type BitcoinNetwork = keyof typeof networks;
export type BitcoinScript = keyof typeof scripts;
export type BitcoinFormatId = `ADDRESS_FORMAT_BITCOIN_${BitcoinNetwork}_${BitcoinScript}`;

/** BIP-86: the internal key tweaked by its own tagged hash, which proves that no script path exists. BIP-341: x-only, even y. */
function taprootOutputKey(key: PublicKey): Uint8Array {
  const x = key.compressed.subarray(1);
  return tweakPublicKey(concatBytes(Uint8Array.of(0x02), x), schnorr.utils.taggedHash('TapTweak', x)).slice(1);
}

/** BIP-173 for version 0, BIP-350 (Bech32m) from version 1. Each version refuses the other's checksum. */
function segwit(prefix: string, version: 0 | 1, length: number): TextEncoding {
  const coder = version === 0 ? bech32 : bech32m;
  return {
    print: (program) => coder.encode(prefix, [version, ...coder.toWords(program)]),
    read(text) {
      // The decoder's parameter type asks for a "1" in the text, which TypeScript cannot see in a string.
      const { prefix: found, words } = coder.decode(text as `${string}1${string}`);
      if (found !== prefix || words[0] !== version) throw new Error('another network or witness version');
      return requireLength(coder.fromWords(words.slice(1)), length);
    },
  };
}

function bitcoinFormat(network: BitcoinNetwork, script: BitcoinScript): AddressFormat<BitcoinFormatId> {
  const rules: Script = scripts[script];
  return defineAddressFormat({
    id: `ADDRESS_FORMAT_BITCOIN_${network}_${script}`,
    curves: ['CURVE_SECP256K1'],
    defaultPath: rules.defaultPath(networks[network].coinType),
    payload: rules.payload,
    ...rules.encoding(networks[network]),
  });
}

const networkNames = Object.keys(networks) as BitcoinNetwork[];
const scriptNames = Object.keys(scripts) as BitcoinScript[];

/**
 * Every Bitcoin format: each script on each network. Test networks share their Base58 versions; signet and testnet also share
 * their prefix.
 */
export const bitcoinFormats: readonly AddressFormat<BitcoinFormatId>[] = networkNames.flatMap((network) =>
  scriptNames.map((script) => bitcoinFormat(network, script)),
);

/** An output script that has an address: its kind, and the address on a network. */
export interface AddressedScript {
  readonly kind: BitcoinScript;
  readonly address: string;
}

/** The kind and the address of an output script. Undefined when the script has no address format here. */
export function addressOfScript(script: Uint8Array, network: BitcoinNetwork): AddressedScript | undefined {
  const kind = scriptNames.find((name) => matches(script, scripts[name].template));
  if (kind === undefined) return undefined;
  const [before, length] = scripts[kind].template;
  const payload = script.subarray(before.length, before.length + length);
  return { kind, address: scripts[kind].encoding(networks[network]).print(payload) };
}

/** The output script of an address of a network. Undefined for other texts, and for a wrong checksum. */
export function scriptOfAddress(text: string, network: BitcoinNetwork): Uint8Array | undefined {
  for (const { template, encoding } of Object.values<Script>(scripts)) {
    const payload = payloadOf(text, encoding(networks[network]));
    if (payload?.length === template[1]) return Uint8Array.of(...template[0], ...payload, ...template[2]);
  }
  return undefined;
}

function matches(script: Uint8Array, [before, length, after]: Script['template']): boolean {
  return (
    script.length === before.length + length + after.length &&
    before.every((byte, index) => script[index] === byte) &&
    after.every((byte, index) => script[before.length + length + index] === byte)
  );
}

/** The shapes of Bitcoin addresses. Most texts in policies have neither, and cost no decoding. */
const addressShape = /^(?:(?:bc|tb|bcrt)1[0-9a-z]{38,62}|(?:BC|TB|BCRT)1[0-9A-Z]{38,62}|[1-9A-HJ-NP-Za-km-z]{26,35})$/;

/**
 * The addresses of one script on every network, that of the given network last. Undefined unless the text is an address of a
 * script that has a format here, with a right checksum.
 * SECURITY: a transaction does not name its network, so a rule about one of these addresses is a rule about all of them.
 */
export function bitcoinSpellings(text: string): readonly string[] | undefined {
  if (!addressShape.test(text)) return undefined;
  for (const script of Object.values<Script>(scripts)) {
    for (const network of Object.values(networks)) {
      const payload = payloadOf(text, script.encoding(network));
      if (payload === undefined) continue;
      const own = script.encoding(network).print(payload);
      const all = Object.values(networks).map((each) => script.encoding(each).print(payload));
      return [...new Set(all.filter((each) => each !== own)), own];
    }
  }
  return undefined;
}

function payloadOf(text: string, encoding: TextEncoding): Uint8Array | undefined {
  try {
    return encoding.read(text);
  } catch {
    // Not an address of this script on this network. Another may know it.
    return undefined;
  }
}
