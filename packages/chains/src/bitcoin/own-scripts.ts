import { schnorr } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { p2pk, p2pkh, p2sh, p2wpkh, p2wsh } from '@scure/btc-signer';
import { addressOfScript } from '../addresses/bitcoin.ts';
import { concat } from '../shared/bytes.ts';
import { tweakPublicKey } from '../shared/tweak.ts';
import type { TweakPublicKey } from '../transaction.ts';
import type { NetworkName, ScriptKind } from './network.ts';

/** How one kind of script pays one key. */
export interface OwnScript {
  readonly kind: ScriptKind;
  readonly scriptPubKey: Uint8Array;
  /** The script that the signature of a segwit v0 or legacy input commits to. */
  readonly scriptCode: Uint8Array;
  /** What a finalizer needs in addition to the signature. */
  readonly psbtFields: {
    readonly redeemScript?: Uint8Array;
    readonly witnessScript?: Uint8Array;
    readonly tapInternalKey?: Uint8Array;
  };
}

const builders: Readonly<Record<ScriptKind, (publicKey: Uint8Array, tweak: TweakPublicKey) => Omit<OwnScript, 'kind'>>> = {
  P2PKH(publicKey) {
    const { script } = p2pkh(publicKey);
    return { scriptPubKey: script, scriptCode: script, psbtFields: {} };
  },
  /** BIP-49: P2WPKH within P2SH. */
  P2SH(publicKey) {
    const inner = p2wpkh(publicKey);
    return {
      scriptPubKey: p2sh(inner).script,
      scriptCode: p2pkh(publicKey).script,
      psbtFields: { redeemScript: inner.script },
    };
  },
  /** BIP-143: the script code of P2WPKH is that of P2PKH. */
  P2WPKH(publicKey) {
    return { scriptPubKey: p2wpkh(publicKey).script, scriptCode: p2pkh(publicKey).script, psbtFields: {} };
  },
  P2WSH(publicKey) {
    const { script } = p2pk(publicKey);
    return { scriptPubKey: p2wsh({ type: 'pk', script }).script, scriptCode: script, psbtFields: { witnessScript: script } };
  },
  /** BIP-86: key-path spend, no scripts. BIP-341: the internal key has an even y, and so has the key in the script. */
  P2TR(publicKey, tweak) {
    const tapInternalKey = publicKey.slice(1);
    const hash = schnorr.utils.taggedHash('TapTweak', tapInternalKey);
    const outputKey = tweak(concat([Uint8Array.of(0x02), tapInternalKey]), hash).subarray(1);
    const script = concat([Uint8Array.of(0x51, 0x20), outputKey]);
    return { scriptPubKey: script, scriptCode: script, psbtFields: { tapInternalKey } };
  },
};

/** Scripts already built, by the array that `parsePublicKey` keeps for a key. A Taproot script costs a point multiplication. */
const built = new WeakMap<Uint8Array, Map<ScriptKind, readonly [hex: string, script: OwnScript]>>();

/** The scripts of a compressed key, by the hex of the output script. */
export function ownScripts(
  publicKey: Uint8Array,
  kinds: readonly ScriptKind[],
  tweak: TweakPublicKey = tweakPublicKey,
): ReadonlyMap<string, OwnScript> {
  const known = built.get(publicKey) ?? new Map<ScriptKind, readonly [string, OwnScript]>();
  built.set(publicKey, known);
  return new Map(
    kinds.map((kind) => {
      const entry = known.get(kind) ?? withHex(Object.freeze({ kind, ...builders[kind](publicKey, tweak) }));
      known.set(kind, entry);
      return entry;
    }),
  );
}

const addresses = new WeakMap<OwnScript, Map<NetworkName, string>>();

/** The address of an own script. Every script of a single key has one. */
export function ownAddress(script: OwnScript, network: NetworkName): string {
  const known = addresses.get(script) ?? new Map<NetworkName, string>();
  addresses.set(script, known);
  const address = known.get(network) ?? (addressOfScript(script.scriptPubKey, network)?.address as string);
  known.set(network, address);
  return address;
}

function withHex(script: OwnScript): readonly [string, OwnScript] {
  return [bytesToHex(script.scriptPubKey), script];
}
