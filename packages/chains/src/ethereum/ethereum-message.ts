import type { PolicyValue } from '@countersign/policy';
import type { Effect } from '../effects/effect.ts';

/** A structured message. Its digest is signed, and policies see its fields. */
export interface EthereumMessage {
  /** The namespace policies see: `eth.eip_712` or `eth.eip_7702_authorization`. */
  readonly namespace: string;
  /** A field that the message does not have is absent. Addresses and bytes are lower-case `0x` hex. */
  readonly policy: { readonly [field: string]: PolicyValue };
  /** Everything that the signature does or allows others to do. */
  readonly effects: readonly Effect[];
  /** What signing the message does, in one plain sentence. */
  readonly description: string;
  /** True only when everything that the signature does or allows was understood. */
  readonly fullyParsed: boolean;
  /** Why `fullyParsed` is false, one plain sentence for each reason. */
  readonly unparsed: readonly string[];
  /** The 32 bytes to sign with ECDSA, without hashing again. INVARIANT: made from the same values as `policy`. */
  readonly digest: Uint8Array;
}
