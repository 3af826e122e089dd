import { type ParseContext, readRawPayload } from '@countersign/chains';
import { activities, type HashFunction, type PayloadEncoding } from '@countersign/contract';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { rulesOf } from './rules.ts';
import type { RawContent, Reading } from './subject.ts';

/** What one payload is: a reading, the end of `the payload is …` if it hides its content, or neither. */
export type PayloadContent = Reading | string | undefined;

interface Raw {
  readonly signWith: string;
  readonly hashFunction: HashFunction;
}

/** Reads the bytes of one payload. */
export function payloadContent(bytes: Uint8Array, { signWith, hashFunction }: Raw, context: ParseContext): PayloadContent {
  const content = readRawPayload(bytes, hashFunction, context);
  switch (content.kind) {
    case 'TRANSACTION': {
      const { type, unsignedTransaction, parsed } = content;
      return { definition: activities.signTransaction, params: { signWith, unsignedTransaction, type }, parsed };
    }
    case 'AUTHORIZATION': {
      const { payload, parsed } = content;
      const form = { encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', hashFunction: 'HASH_FUNCTION_NO_OP' };
      return { definition: activities.signRawPayload, params: { signWith, payload, ...form }, parsed };
    }
    case 'HIDDEN':
      return content.what;
    case 'OTHER':
      return undefined;
  }
}

/** What the payloads of a request are together. */
export function rawContent(contents: readonly PayloadContent[]): { readonly raw?: RawContent } {
  const readings = contents.filter((content): content is Reading => typeof content === 'object');
  const hidden = contents.find((content): content is string => typeof content === 'string');
  if (readings.length === 0 && hidden === undefined) return {};
  return { raw: { readings, isComplete: readings.length === contents.length, ...(hidden !== undefined && { hidden }) } };
}

/** The bytes of a payload of text or hexadecimal digits. Undefined if it is neither. */
export function payloadBytes(payload: string, encoding: PayloadEncoding): Uint8Array | undefined {
  if (encoding === 'PAYLOAD_ENCODING_TEXT_UTF8') return utf8ToBytes(payload);
  const digits = /^0x/i.test(payload) ? payload.slice(2) : payload;
  return digits.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(digits) ? hexToBytes(digits) : undefined;
}

/** What the payloads of a request are, from its parameters. */
export function contentOf(
  payloads: readonly string[],
  raw: Raw & { readonly encoding: PayloadEncoding },
  context: ParseContext,
): { readonly raw?: RawContent } {
  return rawContent(
    payloads.map((payload) => {
      const bytes = payloadBytes(payload, raw.encoding);
      return bytes && payloadContent(bytes, raw, context);
    }),
  );
}

/** The content of raw payloads that a judgement sees. Earlier rules saw none. */
export function rawContentOf(judged: {
  readonly subject: { readonly raw?: RawContent };
  readonly rules?: number | undefined;
}): RawContent | undefined {
  const { raw } = judged.subject;
  return raw !== undefined && rulesOf(judged).readsRawPayloads ? raw : undefined;
}

/** The same without the content of raw payloads, as ALLOWs see it. */
export function withoutReadings<J extends { readonly subject: { readonly raw?: RawContent } }>(judged: J): J {
  const { raw: _, ...subject } = judged.subject;
  return { ...judged, subject };
}
