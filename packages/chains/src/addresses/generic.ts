import { hex } from '@scure/base';
import { defineAddressFormat } from './address-format.ts';

const COMPRESSED = /^(?:0[23][0-9a-f]{64}|[0-9a-f]{64})$/;
const UNCOMPRESSED = /^04[0-9a-f]{128}$/;

function hexReader(shape: RegExp): (text: string) => Uint8Array {
  return (text) => {
    const lower = text.toLowerCase();
    if (!shape.test(lower)) throw new Error('another shape');
    return hex.decode(lower);
  };
}

/** The public key itself, as lower-case hex without 0x: 33 bytes SEC 1 compressed, or the 32 bytes of an ed25519 key. */
export const compressed = defineAddressFormat({
  id: 'ADDRESS_FORMAT_COMPRESSED',
  curves: ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'],
  // Every level is hardened, so the same path serves every curve.
  defaultPath: "m/44'/0'/0'",
  payload: (key) => key.compressed,
  print: hex.encode,
  read: hexReader(COMPRESSED),
});

/** The public key itself, as lower-case hex without 0x: 65 bytes SEC 1 uncompressed. */
export const uncompressed = defineAddressFormat({
  id: 'ADDRESS_FORMAT_UNCOMPRESSED',
  curves: ['CURVE_SECP256K1', 'CURVE_P256'],
  defaultPath: "m/44'/0'/0'",
  payload: (key) => key.uncompressed,
  print: hex.encode,
  read: hexReader(UNCOMPRESSED),
});
