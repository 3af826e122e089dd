import { ChainError } from '../errors.ts';
import { type AddressFormatId, addressFormatIds, addressFormats } from './address-formats.ts';

interface Respelling {
  readonly shape: RegExp;
  /** The formats to try. Formats that agree on shape and canonical text (Sui and Aptos, the TON contracts) stand for each other. */
  readonly formats: readonly AddressFormatId[];
}

/**
 * Solana's form has no checksum, so some upper-case Bech32 texts of 44 characters look like a Solana address too.
 * SECURITY: the reading that proves itself by a checksum wins; a Solana key whose address passes it cannot be made.
 */
const checksummedFormats = addressFormatIds.filter((id) => id !== 'ADDRESS_FORMAT_SOLANA');

/**
 * The address forms that have more than one spelling, by shapes that exclude each other. Every other form (Base58, StrKey) is
 * case-sensitive and has one spelling only, so it needs no entry. Most texts that are looked up match no shape and cost no decoding.
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
 * The form in which stored addresses are looked up: the canonical text when the input is another spelling of a known address form,
 * the input itself when it is not. Never throws.
 * SECURITY: every spelling of an address gives one text, and no text becomes the address of another key. A text that fails its
 * checksum stays as it is, and so matches no stored address.
 */
export function canonicalAddress(text: string): string {
  const formats = respellings.find(({ shape }) => shape.test(text))?.formats ?? [];
  for (const id of formats) {
    try {
      return addressFormats[id].normalize(text);
    } catch (error) {
      // Not an address of this format; another one may know it.
      if (!(error instanceof ChainError)) throw error;
    }
  }
  return text;
}
