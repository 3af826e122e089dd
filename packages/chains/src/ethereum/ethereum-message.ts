import type { PolicyValue } from '../transaction.ts';

/** A structured message that is signed by its digest and that policies can see into. */
export interface EthereumMessage {
  /** The namespace policies see: `eth.eip_712` or `eth.eip_7702_authorization`. */
  readonly namespace: string;
  /** Fields that the message does not have are absent. Addresses and bytes are lower-case `0x` hex. */
  readonly policy: { readonly [field: string]: PolicyValue };
  /** What signing it does, in one plain sentence. */
  readonly description: string;
  /** The 32 bytes to sign with ECDSA, without hashing again. INVARIANT: made of the same values as `policy`. */
  readonly digest: Uint8Array;
}
