import { bytesToHex } from '@noble/hashes/utils.js';
import type { Psbt } from './psbt.ts';
import { typedRecords } from './psbt-maps.ts';

/** Records of an input that can name a key (BIP-174, BIP-371): scripts, derivations, leaves. */
const NAMING_TYPES = [0x04, 0x05, 0x06, 0x15, 0x16];
const TAPROOT_TYPES = [0x15, 0x16];

/** What the output script of an input looks like. */
const shapes = [
  ['P2SH', /^a914[0-9a-f]{40}87$/],
  ['P2WSH', /^0020[0-9a-f]{64}$/],
  ['P2TR', /^5120[0-9a-f]{64}$/],
] as const;

/**
 * Why an input that names the key is not one that the key can sign alone. Undefined if no input names the key. Wallets that take part
 * in a multisig, or in a Taproot script, send such PSBTs.
 */
export function whyNamedInputIsNotOwn({ inputs, maps }: Psbt, publicKey: Uint8Array): string | undefined {
  const whole = bytesToHex(publicKey);
  const xOnly = whole.slice(2);
  for (const [index, map] of maps.inputs.entries()) {
    const spent = bytesToHex(inputs[index]?.spent?.script ?? new Uint8Array());
    const naming = typedRecords(map, []).filter(
      ({ type, data, value }) => NAMING_TYPES.includes(type) && `${bytesToHex(data)} ${bytesToHex(value)}`.includes(xOnly),
    );
    if (naming.length === 0 && !spent.includes(whole)) continue;
    const kind = shapes.find(([, shape]) => shape.test(spent))?.[0] ?? (spent === '' ? 'an unknown output' : 'a bare script');
    if (kind === 'P2TR' || naming.some(({ type }) => TAPROOT_TYPES.includes(type))) {
      return `input ${index} names the signing key in a script of a Taproot output (P2TR leaf); only the key path of the key's own Taproot address is signed`;
    }
    return `input ${index} names the signing key in a script that is not the key's alone (${kind}), such as a multisig; only scripts of one key are signed: P2PKH, P2WPKH, P2SH-P2WPKH, P2WSH of one key, and the key path of P2TR`;
  }
  return undefined;
}
