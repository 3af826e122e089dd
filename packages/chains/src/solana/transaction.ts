import { bytesToHex } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { sentenceOf } from '../effects/sentence.ts';
import { ChainError } from '../errors.ts';
import { fromHexDigits, withoutPrefix } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { defineTransactionType, type ParsedTransaction, type SignerKey } from '../transaction.ts';
import { effectsOf } from './effects.ts';
import { maxFee } from './fee.ts';
import type { Instruction, Message } from './message.ts';
import { policyView } from './policy-view.ts';
import { programs } from './programs/index.ts';
import { instructionReader } from './read-instruction.ts';
import {
  fillSlot,
  findEmptySlot,
  firstSignature,
  MAX_TRANSACTION_BYTES,
  parseWireTransaction,
  type WireTransaction,
} from './wire-transaction.ts';

/** A parsed Solana transaction and the signature slot that its signer will fill. */
export interface ParsedSolanaTransaction extends ParsedTransaction {
  readonly wire: WireTransaction;
  readonly signerKey: string;
  readonly slot: number;
}

/**
 * Solana: takes a whole wire transaction in hex, legacy or version 0, with an empty slot for the signer. Returns the same
 * transaction with that one slot filled. Slots of other signers may be filled and stay as they are.
 */
export const solanaTransaction = defineTransactionType<ParsedSolanaTransaction>({
  id: 'TRANSACTION_TYPE_SOLANA',
  curve: 'CURVE_ED25519',
  signatureLayout: 'FIXED',

  parse(unsignedTransaction, context) {
    const wire = parseWireTransaction(fromHex(unsignedTransaction));
    const signerKey = keyOf(context.signer);
    const slot = findEmptySlot(wire, signerKey);
    const { message } = wire;
    const instructions = message.instructions.map(instructionReader(context, { signerKey, tokens: context.tokens }));
    const fee = maxFee(message, instructions);
    const effects = effectsOf(message, instructions, fee);
    const unparsed = instructions.flatMap(({ unparsed }, index) => (unparsed ? [`instruction ${index + 1}: ${unparsed}`] : []));
    if (message.lookups.length > 0) {
      unparsed.push('some accounts come from address lookup tables; the transaction does not show their content');
    }
    return {
      type: 'TRANSACTION_TYPE_SOLANA',
      namespace: 'solana.tx',
      policy: policyView(message, instructions, fee),
      effects,
      signer: signerKey,
      description: sentenceOf(effects, { ...context.names, self: signerKey, where: whereOf(message) }),
      fullyParsed: unparsed.length === 0,
      unparsed,
      ...(unparsed.length === 0 && message.instructions.some(isNew) && { fullyParsedByInterfaces: false }),
      wire,
      signerKey,
      slot,
    };
  },

  signingRequests(parsed, signer) {
    requireSameSigner(parsed, signer);
    return [{ kind: 'ed25519', message: parsed.wire.messageBytes.slice() }];
  },

  assemble(parsed, signer, signatures) {
    requireSameSigner(parsed, signer);
    const [signature] = signatures;
    if (signature === undefined || signatures.length !== 1) throw new Error(`expected 1 signature, got ${signatures.length}`);
    return bytesToHex(fillSlot(parsed.wire, parsed.slot, signature.bytes));
  },

  hash(signed) {
    const bytes = fromHexDigits(signed);
    return bytes && firstSignature(bytes);
  },
});

function isNew({ programKey }: Instruction): boolean {
  return programs.get(programKey)?.newInLanguage2 === true;
}

function whereOf({ lookups }: Message): string {
  return lookups.length === 0 ? 'on Solana' : 'on Solana with accounts that are hidden in lookup tables';
}

function fromHex(text: string): Uint8Array {
  const digits = withoutPrefix(text);
  if (digits.length > 2 * MAX_TRANSACTION_BYTES) {
    throw invalidTransaction(`the transaction is longer than the ${MAX_TRANSACTION_BYTES} bytes that fit a packet`);
  }
  const bytes = fromHexDigits(digits);
  if (bytes === undefined) throw invalidTransaction('the transaction is not hex');
  return bytes;
}

function keyOf(signer: SignerKey): string {
  if (signer.curve !== 'CURVE_ED25519')
    throw new ChainError('INVALID_CURVE', `a Solana transaction needs an ed25519 key, not ${signer.curve}`);
  if (signer.publicKey.length !== 32) throw new ChainError('INVALID_PUBLIC_KEY', 'an ed25519 public key has 32 bytes');
  return base58.encode(signer.publicKey);
}

/** INVARIANT: the slot was chosen for the key that signs. */
function requireSameSigner(parsed: ParsedSolanaTransaction, signer: SignerKey): void {
  if (keyOf(signer) !== parsed.signerKey) throw new Error('the transaction was parsed for another signer');
}
