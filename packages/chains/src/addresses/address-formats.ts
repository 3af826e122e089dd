import type { Curve } from '../curve.ts';
import type { AddressFormat } from './address-format.ts';
import { type BitcoinFormatId, bitcoinFormats } from './bitcoin.ts';
import { cosmos, sei } from './cosmos.ts';
import { dogeMainnet, dogeTestnet } from './dogecoin.ts';
import { ethereum } from './ethereum.ts';
import { compressed, uncompressed } from './generic.ts';
import { aptos, sui } from './move.ts';
import { ripple } from './ripple.ts';
import { solana } from './solana.ts';
import { stellar } from './stellar.ts';
import { tonV3R2, tonV4R2, tonV5R1 } from './ton.ts';
import { tron } from './tron.ts';

const chainFormats = [
  uncompressed,
  compressed,
  ethereum,
  solana,
  cosmos,
  tron,
  sui,
  aptos,
  sei,
  stellar,
  ripple,
  dogeMainnet,
  dogeTestnet,
  tonV3R2,
  tonV4R2,
  tonV5R1,
] as const;

/** The wire name of an address format. */
export type AddressFormatId = (typeof chainFormats)[number]['id'] | BitcoinFormatId;

const all: readonly AddressFormat<AddressFormatId>[] = [...chainFormats, ...bitcoinFormats];

/** Every address format by its wire name. */
export const addressFormats = Object.freeze(Object.fromEntries(all.map((format) => [format.id, format]))) as {
  readonly [Id in AddressFormatId]: AddressFormat<Id>;
};

/** The wire names of all address formats, in table order. */
export const addressFormatIds: readonly [AddressFormatId, ...AddressFormatId[]] = Object.freeze([
  chainFormats[0].id,
  ...all.slice(1).map((format) => format.id),
]);

/**
 * The address of a public key in one format.
 * Throws ChainError INVALID_CURVE when the format does not take the key's curve, INVALID_PUBLIC_KEY when the bytes are not
 * a key on that curve.
 */
export function encodeAddress(formatId: AddressFormatId, curve: Curve, publicKey: Uint8Array): string {
  return addressFormats[formatId].encode(publicKey, curve);
}
