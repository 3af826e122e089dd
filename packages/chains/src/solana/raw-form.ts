import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { includesBytes, type RawForm, startsWith } from '../raw/raw-form.ts';
import { concat } from '../shared/bytes.ts';
import { MAX_TRANSACTION_BYTES } from './wire-transaction.ts';

/** The first bytes of an off-chain message. They are never those of a transaction. */
const offChainMessage = concat([Uint8Array.of(0xff), utf8ToBytes('solana offchain')]);
/** The first bit of a message with a version. The number of signatures follows the version. */
const VERSIONED = 0x80;
/** A number of signature slots below this takes one byte. A packet has no room for more. */
const MAX_SLOTS = 127;
const SLOT_BYTES = 64;

/** Solana signs the message itself. The parser takes it after empty signature slots. */
export const solanaRawForm: RawForm = {
  hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE',
  toUnsigned(bytes) {
    const [first = 0, second = 0] = bytes;
    const slots = first < VERSIONED ? first : second;
    const length = 1 + slots * SLOT_BYTES + bytes.length;
    if (slots === 0 || slots > MAX_SLOTS || length > MAX_TRANSACTION_BYTES) return undefined;
    return bytesToHex(concat([Uint8Array.of(slots), new Uint8Array(slots * SLOT_BYTES), bytes]));
  },
  // A transaction that needs the signature of a key names it in its accounts.
  hides: (bytes, { publicKey }) =>
    !startsWith(bytes, offChainMessage) && includesBytes(bytes, publicKey)
      ? 'in the form of a Solana transaction of this key, and does not parse as one'
      : undefined,
};
