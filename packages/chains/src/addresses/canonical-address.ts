import { ChainError } from '../errors.ts';
import { type AddressFormatId, addressFormatIds, addressFormats } from './address-formats.ts';

interface Respelling {
  readonly shape: RegExp;
  /** The formats to try. One format stands for others with the same shape and canonical text (Sui for Aptos, TON contracts). */
  readonly formats: readonly AddressFormatId[];
}

/**
 * Solana addresses have no checksum, so some upper-case Bech32 texts of 44 characters also look like a Solana address.
 * SECURITY: the format with a checksum wins. It is infeasible to create a Solana key whose address passes such a checksum.
 */
const checksummedFormats = addressFormatIds.filter((id) => id !== 'ADDRESS_FORMAT_SOLANA');

/**
 * The address forms that have more than one spelling, by shapes that exclude each other. Every other form (Base58, StrKey) is
 * case-sensitive with one spelling only and needs no entry. Most texts match no shape, so looking them up costs no decoding.
 */
const respellings: readonly Respelling[] = [
  { shape: /^0[xX][0-9a-fA-F]{40}$/, formats: ['ADDRESS_FORMAT_ETHEREUM'] },
  { shape: /^0[xX][0-9a-fA-F]{64}$/, formats: ['ADDRESS_FORMAT_SUI'] },
  { shape: /^(?:[0-9a-fA-F]{64}|0[23][0-9a-fA-F]{64})$/, formats: ['ADDRESS_FORMAT_COMPRESSED'] },
  { shape: /^04[0-9a-fA-F]{128}$/, formats: ['ADDRESS_FORMAT_UNCOMPRESSED'] },
  // TEP-2: the flags 0x11 and 0x51 with workchain 0 make a text begin with EQ or UQ.
  { shape: /^(?:0:[0-9a-fA-F]{64}|[EU]Q[A-Za-z0-9+/_-]{46})$/, formats: ['ADDRESS_FORMAT_TON_V4R2'] },
  // BIP-173: a QR code carries the upper-case form.
  { shape: /^(?:COSMOS|SEI|BC|TB|BCRT)1[0-9A-Z]{38,59}$/, formats: checksummedFormats },
];

/**
 * The form in which stored addresses are looked up. Another spelling of a known address becomes its canonical text; any other
 * input stays as it is. Never throws.
 * SECURITY: every spelling of an address gives one text, and no text becomes the address of another key. A text that fails its
 * checksum stays as it is, and so matches no stored address.
 */
export function canonicalAddress(text: string): string {
  const formats = respellings.find(({ shape }) => shape.test(text))?.formats ?? [];
  for (const id of formats) {
    try {
      return addressFormats[id].normalize(text);
    } catch (error) {
      // Not an address of this format. The next format may know it.
      if (!(error instanceof ChainError)) throw error;
    }
  }
  return text;
}
