/** Whether all signatures (65 bytes each: r, s, recovery bit) of one key are valid for their digests (32 bytes each). At least one. */
export type CheckAll = (signatures: Uint8Array, digests: Uint8Array) => boolean;

/** Whether a signature (64 bytes: r, s) of one key is valid for SHA-256 of the message. */
export type VerifyMessage = (message: Uint8Array, signature: Uint8Array) => boolean;

/** The functions of the addon. They throw a TypeError for arguments of a wrong type or length and for invalid public keys. */
export interface Addon {
  /**
   * Verifies signatures of this compressed key: low s, and the recovery bit. A table takes 150 KB and some milliseconds to compute, and
   * saves two thirds of each verification.
   */
  secp256k1Checker(publicKey: Uint8Array, withTable: boolean): CheckAll;
  /** Verifies signatures of this compressed key, with a table of 150 KB that another thread computes. Accepts a high s. */
  p256Verifier(publicKey: Uint8Array): Promise<VerifyMessage>;
  /** Writes SHA-256 of the data to `digest`, 32 bytes. */
  sha256(data: Uint8Array, digest: Uint8Array): void;
  /** Writes Keccak-256 of the data, as Ethereum uses it, to `digest`, 32 bytes. For public data only. */
  keccak256(data: Uint8Array, digest: Uint8Array): void;
  /**
   * Writes HMAC-SHA-256 of each message to `digests`, 32 bytes each. The padded keys have 64 bytes each. `messages` is their
   * concatenation, and `lengths` has the bytes of a Uint32Array.
   */
  hmacSha256Each(
    innerKey: Uint8Array,
    outerKey: Uint8Array,
    messages: Uint8Array,
    lengths: Uint8Array,
    digests: Uint8Array,
  ): void;
}

/** libsecp256k1 of the system. The functions throw a TypeError for arguments of a wrong type or length. */
export interface SystemSigner {
  /** Blinds computations with secrets, against side channels. */
  secp256k1Randomize(seed: Uint8Array): boolean;
  /** Writes r, s and the recovery id to `signature`, 65 bytes (RFC 6979, low s). Returns false if the private key is invalid. */
  secp256k1Sign(digest: Uint8Array, privateKey: Uint8Array, signature: Uint8Array): boolean;
}
