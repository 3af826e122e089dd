import {
  type ParseContext,
  type ParsedTransaction,
  parseAuthorization,
  parseTypedData,
  type SignerKey,
  transactionTypes,
} from '@countersign/chains';
import type { ActivityInput } from '@countersign/contract';
import type { JudgedOrganization } from '../organization.ts';
import { contentOf } from '../raw-content.ts';
import {
  alsoSigned,
  describeSent,
  isSponsored,
  readingOf,
  type SendingName,
  sendingKeyField,
  sendsTransaction,
  transactionToSend,
} from '../sending/sent-transaction.ts';
import { type SigningSource, signerOf, signingContext, subjectOfKey } from '../signing-context.ts';
import type { PolicySubject } from '../subject.ts';

/** A key with the data that policies and parsers know of it. */
export interface PastSigning {
  readonly signer: SignerKey;
  /** The subject that policies see, with the parsed content if the signed data has a known format. */
  readonly subject: PolicySubject;
  /** The transaction that was to be signed. */
  readonly transaction?: ParsedTransaction;
  /** The digest of a typed message. */
  readonly digest?: Uint8Array;
}

/** Faster implementations of what parsers compute. */
export type ParserEngines = Pick<ParseContext, 'keccak256' | 'recoverPublicKey' | 'sha256' | 'tweakPublicKey'>;

type SigningName = 'signRawPayload' | 'signRawPayloads' | 'signTransaction' | SendingName;

/**
 * Parses a past signing request again, from its parameters and the organization at that time, by a version of the rules.
 * Throws ChainError if the content cannot be parsed.
 */
export function pastSigning(
  name: SigningName,
  params: unknown,
  organization: JudgedOrganization,
  { key, wallet }: SigningSource,
  rules: number | undefined,
  engines: ParserEngines & ReturnType<typeof readingOf> = {},
): PastSigning {
  if (sendsTransaction({ name })) return pastSending(name, params, organization, { key, wallet }, rules, engines);
  const { signWith } = params as { readonly signWith: string };
  const signer = signerOf(key, signWith);
  const context = { ...signingContext(organization, signer, { key, wallet }, { rules }), ...engines };
  const subject = subjectOfKey(key, wallet);
  if (name === 'signTransaction') {
    const { type, unsignedTransaction } = params as ActivityInput<'signTransaction'>;
    const transaction = transactionTypes[type].parse(unsignedTransaction, context);
    return { signer, subject: { ...subject, parsed: transaction }, transaction };
  }
  if (name === 'signRawPayloads') {
    const { payloads, ...raw } = params as ActivityInput<'signRawPayloads'>;
    return { signer, subject: { ...subject, ...contentOf(payloads, raw, context), signatures: payloads.length } };
  }
  const { payload, ...raw } = params as ActivityInput<'signRawPayload'>;
  const parse = typedMessages[raw.encoding];
  if (parse === undefined) return { signer, subject: { ...subject, ...contentOf([payload], raw, context) } };
  const { digest, ...parsed } = parse(payload, context);
  return { signer, subject: { ...subject, parsed }, digest };
}

/** The same for a transaction that was sent. `completed` are the parameters as the decision stored them. */
function pastSending(
  name: string,
  completed: unknown,
  organization: JudgedOrganization,
  source: SigningSource,
  rules: number | undefined,
  engines: ParserEngines,
): PastSigning {
  const transaction = transactionToSend(name, completed);
  const signed = pastSigning('signTransaction', transaction, organization, source, rules, {
    ...engines,
    ...readingOf(name),
  });
  const { parsed, parameters } = signed.subject;
  const { signWith } = (parameters?.() ?? {}) as { readonly signWith?: string };
  if (parsed === undefined) throw new TypeError('a transaction was not parsed');
  return {
    ...signed,
    subject: {
      ...signed.subject,
      parsed: describeSent(completed, parsed),
      ...alsoSigned(name, transaction, completed, parsed, signed.signer),
      parameters: () => ({ ...(completed as object), [sendingKeyField(name)]: signWith, sponsor: isSponsored(completed) }),
    },
  };
}

/** Encodings whose payload is a structured message. */
const typedMessages: { readonly [encoding: string]: typeof parseTypedData | undefined } = {
  PAYLOAD_ENCODING_EIP712: parseTypedData,
  PAYLOAD_ENCODING_EIP7702_AUTHORIZATION: parseAuthorization,
};
