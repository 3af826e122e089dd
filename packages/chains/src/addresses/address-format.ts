import type { Curve } from '../curve.ts';
import { ChainError } from '../errors.ts';
import { type PublicKey, parsePublicKey } from './public-key.ts';

/** The rules of one address format: key to payload, payload to text, text to payload. */
export interface AddressFormatRules<Id extends string> {
  readonly id: Id;
  /** The curves that the key may be on. The first is the default. */
  readonly curves: readonly [Curve, ...Curve[]];
  /** The derivation path of the first account, as other wallets of this network use it. */
  readonly defaultPath: string;
  /** The bytes that the address commits to. */
  payload(key: PublicKey): Uint8Array;
  /** The one canonical text of a payload. */
  print(payload: Uint8Array): string;
  /** The payload of a text. Must check every checksum, and throw when the text is not well formed. */
  read(text: string): Uint8Array;
}

/** One address format, a frozen entry in the table of formats. */
export interface AddressFormat<Id extends string = string> {
  readonly id: Id;
  readonly curves: readonly [Curve, ...Curve[]];
  readonly defaultPath: string;
  /**
   * The address of a public key. `curve` defaults to the first of `curves` and matters only where a format takes several.
   * Throws ChainError INVALID_CURVE or INVALID_PUBLIC_KEY.
   */
  encode(publicKey: Uint8Array, curve?: Curve): string;
  /**
   * The payload of an address. Checks checksum, length and network; says nothing about who holds the key.
   * Throws ChainError INVALID_ADDRESS.
   */
  parse(text: string): Uint8Array;
  /**
   * The one canonical spelling of an address. Two spellings of one address give the same text.
   * Throws ChainError INVALID_ADDRESS.
   */
  normalize(text: string): string;
}

/** Makes a format from its rules. INVARIANT: `normalize` prints what `parse` read, so a payload has one canonical text. */
export function defineAddressFormat<Id extends string>(rules: AddressFormatRules<Id>): AddressFormat<Id> {
  const { id, curves, defaultPath } = rules;

  const parse = (text: string): Uint8Array => {
    try {
      return rules.read(text);
    } catch {
      // A decoder's reason does not help the caller, and its text may repeat a long input.
      throw new ChainError('INVALID_ADDRESS', `this text is not a valid ${id} address`);
    }
  };

  return Object.freeze({
    id,
    curves: Object.freeze(curves),
    defaultPath,
    encode(publicKey: Uint8Array, curve: Curve = curves[0]) {
      if (!curves.includes(curve)) {
        throw new ChainError('INVALID_CURVE', `${id} needs a ${curves.join(' or ')} key, but this key is ${curve}`);
      }
      return rules.print(rules.payload(parsePublicKey(curve, publicKey)));
    },
    parse,
    normalize: (text: string) => rules.print(parse(text)),
  });
}
