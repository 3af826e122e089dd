import {
  ChainError,
  type EthereumMessage,
  type ParseContext,
  parseAuthorization,
  type SignerKey,
  type SigningRequest,
  typedDataInSteps,
} from '@countersign/chains';
import { type ActivityInput, type HashFunction, type PayloadEncoding, ServiceError } from '@countersign/contract';
import { type ParsedSubject, type PayloadContent, payloadBytes, payloadContent } from '@countersign/judgement';
import { type EndSlice, runInSlices } from '../../admission/index.ts';
import { keccak256 } from '../../auth/keccak256.ts';
import { sha256 } from '../../vault/integrity/keyed-hash.ts';

/** The signing request of a raw payload and, for typed messages, the parsed message. */
export interface ReadPayload {
  readonly request: SigningRequest;
  readonly parsed?: ParsedSubject;
  /** What the bytes of a payload without a structure are. */
  readonly content?: PayloadContent;
}

type RawParams = Pick<ActivityInput<'signRawPayload'>, 'signWith' | 'encoding' | 'hashFunction'>;

/** Reads a payload of text or bytes. Throws PAYLOAD_INVALID if payload, encoding, hash function and key do not match. */
export function readPayload(payload: string, params: RawParams, context: ParseContext, field: string): ReadPayload {
  const message = decode(payload, params.encoding, field);
  return {
    request: requestOf(message, params.hashFunction, context.signer, field),
    content: payloadContent(message, params, context),
  };
}

function requestOf(message: Uint8Array, hashFunction: HashFunction, signer: SignerKey, field: string): SigningRequest {
  if (signer.curve === 'CURVE_ED25519') {
    if (hashFunction !== 'HASH_FUNCTION_NOT_APPLICABLE') {
      throw refuse(
        'hashFunction',
        'invalid hash function: an ed25519 key signs the message itself; use HASH_FUNCTION_NOT_APPLICABLE',
      );
    }
    return { kind: 'ed25519', message };
  }
  const digest = digestOf(message, hashFunction, signer, field);
  // BIP-341: a taproot address stands for the tweaked key, which signs with BIP-340.
  const taproot = signer.addressFormat?.endsWith('_P2TR') === true;
  return taproot ? { kind: 'schnorr', digest, tapTweak: new Uint8Array() } : { kind: 'ecdsa', digest };
}

function digestOf(message: Uint8Array, hashFunction: HashFunction, { curve }: SignerKey, field: string): Uint8Array {
  switch (hashFunction) {
    case 'HASH_FUNCTION_SHA256':
      return sha256(message);
    case 'HASH_FUNCTION_KECCAK256':
      return keccak256(message);
    case 'HASH_FUNCTION_NO_OP':
      if (message.length === 32) return message;
      throw refuse(field, `invalid payload: HASH_FUNCTION_NO_OP signs a digest of 32 bytes, this payload has ${message.length}`);
    case 'HASH_FUNCTION_NOT_APPLICABLE':
      throw refuse(
        'hashFunction',
        `invalid hash function: HASH_FUNCTION_NOT_APPLICABLE is for ed25519 keys, this key is ${curve}`,
      );
  }
}

type MessageReader = (payload: string, context: ParseContext, endSlice: EndSlice) => EthereumMessage | Promise<EthereumMessage>;

/** Encodings of typed messages. The server parses the message and computes the digest. */
const typedMessages: { readonly [E in PayloadEncoding]?: MessageReader } = {
  // SECURITY: D354: runs in slices, because the JSON can have thousands of values to hash.
  PAYLOAD_ENCODING_EIP712: (payload, context, endSlice) => runInSlices(typedDataInSteps(payload, context), endSlice),
  PAYLOAD_ENCODING_EIP7702_AUTHORIZATION: parseAuthorization,
};

/** Whether the server parses payloads of this encoding. */
export function isTypedMessage(encoding: PayloadEncoding): boolean {
  return typedMessages[encoding] !== undefined;
}

/** Reads a typed message. Throws PAYLOAD_INVALID if payload, hash function and key do not match. */
export async function readTypedMessage(
  payload: string,
  encoding: PayloadEncoding,
  hashFunction: HashFunction,
  context: ParseContext,
  endSlice: EndSlice,
): Promise<ReadPayload> {
  const { curve } = context.signer;
  if (hashFunction !== 'HASH_FUNCTION_NO_OP') {
    throw refuse('hashFunction', 'invalid hash function: a typed message defines its own digest; use HASH_FUNCTION_NO_OP');
  }
  if (curve !== 'CURVE_SECP256K1')
    throw refuse('signWith', `a typed message is signed with a CURVE_SECP256K1 key, this key is ${curve}`);
  const read = typedMessages[encoding];
  if (read === undefined) throw new TypeError(`${encoding} is not the encoding of a typed message`);
  try {
    const { digest, ...parsed } = await read(payload, context, endSlice);
    return { request: { kind: 'ecdsa', digest }, parsed };
  } catch (error) {
    if (error instanceof ChainError) throw refuse('payload', `invalid payload: ${error.message}`, error);
    throw error;
  }
}

function decode(payload: string, encoding: PayloadEncoding, field: string): Uint8Array {
  const bytes = payloadBytes(payload, encoding);
  if (bytes !== undefined) return bytes;
  throw refuse(
    field,
    /^(0x)?[0-9a-f]*$/i.test(payload)
      ? 'invalid payload encoding: PAYLOAD_ENCODING_HEXADECIMAL needs an even number of hexadecimal digits'
      : 'invalid payload encoding: the payload has characters that are not hexadecimal digits (0-9, a-f); text needs PAYLOAD_ENCODING_TEXT_UTF8',
  );
}

function refuse(field: string, description: string, cause?: unknown): ServiceError {
  return new ServiceError('PAYLOAD_INVALID', description, { cause, violations: [{ field, description }] });
}
