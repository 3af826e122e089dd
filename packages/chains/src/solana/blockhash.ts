import { bytesToHex } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { fromHexDigits, withoutPrefix } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import type { Message } from './message.ts';
import { MAX_TRANSACTION_BYTES, parseWireTransaction, type WireTransaction } from './wire-transaction.ts';

/** What a message has in place of a blockhash if the sender fills it in: 32 zero bytes. */
export const NO_BLOCKHASH = '1'.repeat(32);

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const HEADER_BYTES = 3;
const SYSTEM_PROGRAM = '1'.repeat(32);
/** The number of the instruction AdvanceNonceAccount. */
const ADVANCE_NONCE = 4;

/** The blockhash of a wire transaction in hexadecimal. Undefined if the sender fills it in. Throws ChainError. */
export function blockhashOf(unsignedTransaction: string): string | undefined {
  const { recentBlockhash } = read(unsignedTransaction).message;
  return recentBlockhash === NO_BLOCKHASH ? undefined : recentBlockhash;
}

/**
 * The same wire transaction with a blockhash, in hexadecimal without 0x. Pure: verifiers build the same bytes.
 * INVARIANT: only an absent blockhash is filled in, and nothing else changes. Throws ChainError if the transaction has another one, if another
 * signer signed it without one, or if it has a durable nonce: such a transaction never expires.
 */
export function withBlockhash(unsignedTransaction: string, blockhash: string): string {
  const wire = read(unsignedTransaction);
  const { message, bytes, slotsOffset } = wire;
  if (usesDurableNonce(message))
    throw invalidTransaction('it has a durable nonce, so it never expires: sign it with sign_transaction and send it yourself');
  if (message.recentBlockhash === blockhash) return bytesToHex(bytes);
  if (message.recentBlockhash !== NO_BLOCKHASH)
    throw invalidTransaction(`it has the blockhash ${message.recentBlockhash}, not ${blockhash}`);
  const slots = bytes.subarray(slotsOffset, slotsOffset + message.requiredSignatures * SIGNATURE_BYTES);
  if (slots.some((byte) => byte !== 0))
    throw invalidTransaction('another signer signed it without a blockhash, which is part of what is signed');
  const filled = bytes.slice();
  filled.set(bytesOf(blockhash), blockhashOffset(wire));
  return bytesToHex(filled);
}

/** What the signers of a wire transaction sign, in hexadecimal. The chain executes one transaction with these bytes. */
export function signedMessage(transaction: string): string {
  return bytesToHex(read(transaction).messageBytes);
}

/** Throws ChainError unless the signer pays the fee and the transaction needs no further signature. */
export function requireCompleteWith(unsignedTransaction: string, signerKey: string): void {
  const wire = read(unsignedTransaction);
  const [feePayer] = wire.message.accountKeys;
  if (feePayer !== signerKey)
    throw invalidTransaction(`${feePayer} pays its fee, so only that account can send it, not ${signerKey}`);
  for (let other = 1; other < wire.message.requiredSignatures; other++) {
    const start = wire.slotsOffset + other * SIGNATURE_BYTES;
    if (wire.bytes.subarray(start, start + SIGNATURE_BYTES).some((byte) => byte !== 0)) continue;
    throw invalidTransaction(`it also needs a signature of ${wire.message.accountKeys[other]}, which is missing`);
  }
}

function read(unsignedTransaction: string): WireTransaction {
  const digits = withoutPrefix(unsignedTransaction);
  const bytes = digits.length > 2 * MAX_TRANSACTION_BYTES ? undefined : fromHexDigits(digits);
  if (bytes === undefined)
    throw invalidTransaction(`it is not hexadecimal, or longer than the ${MAX_TRANSACTION_BYTES} bytes that fit a packet`);
  return parseWireTransaction(bytes);
}

function bytesOf(blockhash: string): Uint8Array {
  try {
    const bytes = base58.decode(blockhash);
    if (bytes.length === KEY_BYTES) return bytes;
  } catch {
    // Told below.
  }
  throw invalidTransaction(`the blockhash ${blockhash} does not have ${KEY_BYTES} bytes`);
}

function blockhashOffset({ bytes, messageBytes, message }: WireTransaction): number {
  const { version, accountKeys } = message;
  const start = bytes.length - messageBytes.length + (version === 'legacy' ? 0 : 1) + HEADER_BYTES;
  return start + (accountKeys.length < 0x80 ? 1 : 2) + accountKeys.length * KEY_BYTES;
}

function usesDurableNonce({ instructions: [first] }: Message): boolean {
  if (first?.programKey !== SYSTEM_PROGRAM) return false;
  const [number, ...rest] = first.data.subarray(0, 4);
  return number === ADVANCE_NONCE && rest.every((byte) => byte === 0);
}
