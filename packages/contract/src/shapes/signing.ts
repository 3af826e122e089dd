import { z } from 'zod';

export const payloadEncoding = z
  .enum(['PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8'])
  .meta({ id: 'PayloadEncoding' });

export type PayloadEncoding = z.output<typeof payloadEncoding>;

export const hashFunction = z
  .enum(['HASH_FUNCTION_NO_OP', 'HASH_FUNCTION_SHA256', 'HASH_FUNCTION_KECCAK256', 'HASH_FUNCTION_NOT_APPLICABLE'])
  .meta({ id: 'HashFunction' });

export type HashFunction = z.output<typeof hashFunction>;

/** Wallet account address, private key address, or private key id. */
export const signWith = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'must have at most 256 characters')
  .describe('Wallet account address, private key address, or private key id');

export const payload = z.string().max(524_288, 'must have at most 524288 characters');

/** The parts of a signature, lower-case hexadecimal without 0x. `v` is 00 or 01. */
export const signature = z.object({ r: z.string(), s: z.string(), v: z.string() }).meta({ id: 'Signature' });
