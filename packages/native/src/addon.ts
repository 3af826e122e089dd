/** Says whether signatures (65 bytes each: r, s, recovery bit) of one key all hold for their digests (32 bytes each). At least one of each. */
export type CheckAll = (signatures: Uint8Array, digests: Uint8Array) => boolean;

/** Says whether a signature (64 bytes: r, s) of one key holds for SHA-256 of the message. */
export type VerifyMessage = (message: Uint8Array, signature: Uint8Array) => boolean;

/** The functions of the addon. They throw a TypeError for arguments of another kind or length, and for bytes that are not a public key. */
export interface Addon {
  /** Blinds computations with secrets, against side channels. */
  secp256k1Randomize(seed: Uint8Array): boolean;
  /** Signs each digest into `signatures` (RFC 6979, low s). False if the bytes are not a private key. */
  secp256k1Sign(digests: Uint8Array, privateKey: Uint8Array, signatures: Uint8Array): boolean;
  /**
   * Checks signatures of this compressed key: low s, and R whole, with the recovery bit. A table takes 150 KB and some milliseconds to
   * make, and spares two thirds of each check.
   */
  secp256k1Checker(publicKey: Uint8Array, withTable: boolean): CheckAll;
  /** Checks signatures of this compressed key, with a table of 150 KB that another thread makes in some milliseconds. Takes a high s too. */
  p256Verifier(publicKey: Uint8Array): Promise<VerifyMessage>;
  /** Writes SHA-256 of the data into 32 bytes. */
  sha256(data: Uint8Array, digest: Uint8Array): void;
  /**
   * Writes HMAC-SHA-256 of each message into 32 bytes of `digests`. The padded keys are 64 bytes each. The messages lie one behind the
   * other, and `lengths` holds the bytes of a Uint32Array.
   */
  hmacSha256Each(
    innerKey: Uint8Array,
    outerKey: Uint8Array,
    messages: Uint8Array,
    lengths: Uint8Array,
    digests: Uint8Array,
  ): void;
}
