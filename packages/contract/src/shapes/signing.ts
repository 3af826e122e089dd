import { z } from 'zod';
import { absentTransactionTypes, chainNames, specTransactionTypes, transactionTypes } from '../chains.ts';
import { policyMarks } from '../policy-view/marks.ts';

const specEncodings = ['PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8'] as const;

/** The payload encodings of the specification. */
export const specPayloadEncoding = z.enum(specEncodings).meta({ id: 'PayloadEncoding' });

/** All payload encodings. The compatible base path also takes typed data and authorizations as JSON text. */
export const payloadEncoding = z
  .enum([...specEncodings, 'PAYLOAD_ENCODING_EIP712', 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'])
  .meta({ id: 'CompatiblePayloadEncoding' });

/** The encoding of a payload. */
export type PayloadEncoding = z.output<typeof payloadEncoding>;

/** The hash function of a signature. */
export const hashFunction = z
  .enum(['HASH_FUNCTION_NO_OP', 'HASH_FUNCTION_SHA256', 'HASH_FUNCTION_KECCAK256', 'HASH_FUNCTION_NOT_APPLICABLE'])
  .meta({ id: 'HashFunction' });

/** The hash function of a signature. */
export type HashFunction = z.output<typeof hashFunction>;

/** The error for a type of transactions that published clients send and this server does not read. Others get the list of types. */
const explainAbsent: z.core.$ZodErrorMap = ({ input }) =>
  absentTransactionTypes.some((type) => type === input)
    ? `is ${input}, which this server does not read, so no policy can judge it: it signs transactions of ${chainNames}`
    : undefined;

/** The transaction types of the specification. */
export const specTransactionType = z.enum(specTransactionTypes, { error: explainAbsent }).meta({ id: 'TransactionType' });

/** All transaction types, for the compatible base path. */
export const transactionType = z.enum(transactionTypes, { error: explainAbsent }).meta({ id: 'CompatibleTransactionType' });

/** Names the key to sign with. */
export const signWith = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'must have at most 256 characters')
  .register(policyMarks, {
    form: 'address',
    resolved: 'the address of the account, or the id of the private key',
    seenAs: 'the address of an account or the id of a private key, regardless of how the request refers to it',
  })
  .describe('The address of a wallet account or private key, or the id of a private key');

/** The payload to sign. */
export const payload = z.string().max(524_288, 'must have at most 524288 characters');

/** The parts of a signature in lower-case hexadecimal, without 0x. `v` is 00 or 01. */
export const signature = z.object({ r: z.string(), s: z.string(), v: z.string() }).meta({ id: 'Signature' });
