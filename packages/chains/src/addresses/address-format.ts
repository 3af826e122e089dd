import type { Curve } from '../curve.ts';
import { ChainError } from '../errors.ts';
import { type PublicKey, parsePublicKey } from './public-key.ts';

/** What one address format is: a rule from key to payload, and the two directions between payload and text. */
export interface AddressFormatRules<Id extends string> {
  readonly id: Id;
  /** The curves a key may be on; the first is the usual one. */
  readonly curves: readonly [Curve, ...Curve[]];
  /** The derivation path of the first account, as other wallets of the same network use it. */
  readonly defaultPath: string;
  /** The bytes that an address commits to. */
  payload(key: PublicKey): Uint8Array;
  /** The one canonical text of a payload. */
  print(payload: Uint8Array): string;
  /** The payload of a text, or any throw when the text is not well formed. Must check every checksum. */
  read(text: string): Uint8Array;
}

/** One address format: a frozen entry in the table of formats. */
export interface AddressFormat<Id extends string = string> {
  readonly id: Id;
  readonly curves: readonly [Curve, ...Curve[]];
  readonly defaultPath: string;
  /**
   * The address of a public key. `curve` matters only where a format takes several and defaults to the first of `curves`.
   * Throws ChainError INVALID_CURVE or INVALID_PUBLIC_KEY.
   */
  encode(publicKey: Uint8Array, curve?: Curve): string;
  /** The payload of a well-formed address (checksum, length, network), or ChainError INVALID_ADDRESS. Says nothing about who holds the key. */
  parse(text: string): Uint8Array;
  /** The one canonical spelling of a well-formed address, or ChainError INVALID_ADDRESS. Two spellings of one address give the same text. */
  normalize(text: string): string;
}

/** Makes a format of its rules. INVARIANT: `normalize` prints what `parse` read, so a payload has exactly one canonical text. */
export function defineAddressFormat<Id extends string>(rules: AddressFormatRules<Id>): AddressFormat<Id> {
  const { id, curves, defaultPath } = rules;

  const parse = (text: string): Uint8Array => {
    try {
      return rules.read(text);
    } catch {
      // Why a decoder stopped is of no use to a caller, and its text may repeat the input at length.
      throw new ChainError('INVALID_ADDRESS', `this text is not a valid ${id} address`);
    }
  };

  return Object.freeze({
    id,
    curves: Object.freeze(curves),
    defaultPath,
    encode(publicKey: Uint8Array, curve: Curve = curves[0]) {
      if (!curves.includes(curve)) {
        throw new ChainError('INVALID_CURVE', `${id} needs a ${curves.join(' or ')} key, this key is ${curve}`);
      }
      return rules.print(rules.payload(parsePublicKey(curve, publicKey)));
    },
    parse,
    normalize: (text: string) => rules.print(parse(text)),
  });
}
