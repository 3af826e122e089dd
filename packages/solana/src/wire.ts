/** The parts of a transaction of @solana/kit that are signed and sent. The names of the signers are in the order of their signatures. */
export interface SignableTransaction {
  readonly messageBytes: ArrayLike<number>;
  readonly signatures: Readonly<Record<string, ArrayLike<number> | null>>;
}

const SIGNATURE_LENGTH = 64;

/** The transaction as it travels: the number of signatures, a slot of 64 bytes for each, the message. Missing ones are zero. */
export function wireTransaction({ messageBytes, signatures }: SignableTransaction): Uint8Array {
  const slots = Object.values(signatures);
  // A message has at most 255 accounts, so a count takes one byte or two (shortvec, seven bits at a time).
  const count = slots.length < 0x80 ? [slots.length] : [(slots.length & 0x7f) | 0x80, slots.length >> 7];
  const bytes = new Uint8Array(count.length + slots.length * SIGNATURE_LENGTH + messageBytes.length);
  bytes.set(count);
  for (const [index, signature] of slots.entries()) {
    if (signature !== null) bytes.set(signature, count.length + index * SIGNATURE_LENGTH);
  }
  bytes.set(messageBytes, count.length + slots.length * SIGNATURE_LENGTH);
  return bytes;
}

/**
 * The signature of `address` in a signed transaction.
 * SECURITY: throws unless the transaction is the one that was sent, so a signature for another one is never taken.
 */
export function slotOf(signed: Uint8Array, transaction: SignableTransaction, address: string): Uint8Array {
  const index = Object.keys(transaction.signatures).indexOf(address);
  const sent = wireTransaction(transaction);
  const start =
    sent.length - transaction.messageBytes.length - (Object.keys(transaction.signatures).length - index) * SIGNATURE_LENGTH;
  const isOwn = (position: number) => position >= start && position < start + SIGNATURE_LENGTH;
  if (
    index === -1 ||
    signed.length !== sent.length ||
    sent.some((byte, position) => !isOwn(position) && signed[position] !== byte)
  )
    throw new Error(`The service did not sign this transaction for ${address}.`);
  return signed.slice(start, start + SIGNATURE_LENGTH);
}

export function toHex(bytes: ArrayLike<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
