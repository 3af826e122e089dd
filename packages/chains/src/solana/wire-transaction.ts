import { base58 } from '@scure/base';
import { invalidTransaction } from '../shared/refusal.ts';
import { ByteReader } from './byte-reader.ts';
import { type Message, parseMessage } from './message.ts';

/** The most that a packet carries: the IPv6 minimum MTU of 1280 bytes minus 48 bytes of headers. */
export const MAX_TRANSACTION_BYTES = 1232;

const SIGNATURE_BYTES = 64;

/** A transaction as it goes over the network: one signature slot for each required signer, then the message. */
export interface WireTransaction {
  readonly bytes: Uint8Array;
  /** Where the first slot begins. */
  readonly slotsOffset: number;
  /** The bytes that every signer signs, exactly as received. */
  readonly messageBytes: Uint8Array;
  readonly message: Message;
}

/** Reads a whole wire transaction. Slots may be empty (all zero) or filled. Their number must match the message. */
export function parseWireTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw invalidTransaction(
      `the transaction has ${bytes.length} bytes, more than the ${MAX_TRANSACTION_BYTES} that fit a packet`,
    );
  }
  const reader = new ByteReader(bytes, 'the transaction');
  const slots = reader.compactU16();
  const slotsOffset = reader.position;
  reader.take(slots * SIGNATURE_BYTES);
  const messageBytes = reader.take(reader.remaining);
  const message = parseMessage(messageBytes);
  if (message.requiredSignatures !== slots) {
    throw invalidTransaction(`the transaction has ${slots} signature slots, but its message needs ${message.requiredSignatures}`);
  }
  return { bytes, slotsOffset, messageBytes, message };
}

/**
 * The signer's slot, by the place of its key among the required signers.
 * Throws when the transaction does not need this key's signature, or already has it.
 */
export function findEmptySlot(transaction: WireTransaction, signerKey: string): number {
  const { message } = transaction;
  const slot = message.accountKeys.indexOf(signerKey);
  if (slot < 0 || slot >= message.requiredSignatures) {
    throw invalidTransaction(`the transaction does not need a signature of ${signerKey}`);
  }
  if (slotBytes(transaction, slot).some((byte) => byte !== 0)) {
    throw invalidTransaction(`the transaction is already signed by ${signerKey}`);
  }
  return slot;
}

/** The transaction with one slot filled and every other byte unchanged. */
export function fillSlot(transaction: WireTransaction, slot: number, signature: Uint8Array): Uint8Array {
  if (signature.length !== SIGNATURE_BYTES)
    throw new Error(`an ed25519 signature has ${SIGNATURE_BYTES} bytes, got ${signature.length}`);
  const filled = transaction.bytes.slice();
  filled.set(signature, transaction.slotsOffset + slot * SIGNATURE_BYTES);
  return filled;
}

/** The signature of the first signer, by which the chain names the transaction. Undefined while it is missing. */
export function firstSignature(bytes: Uint8Array): string | undefined {
  const reader = new ByteReader(bytes, 'the transaction');
  if (reader.compactU16() === 0) return undefined;
  const signature = reader.take(SIGNATURE_BYTES);
  return signature.some((byte) => byte !== 0) ? base58.encode(signature) : undefined;
}

function slotBytes({ bytes, slotsOffset }: WireTransaction, slot: number): Uint8Array {
  const start = slotsOffset + slot * SIGNATURE_BYTES;
  return bytes.subarray(start, start + SIGNATURE_BYTES);
}
