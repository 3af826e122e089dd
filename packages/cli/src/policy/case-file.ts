import { dirname, resolve } from 'node:path';
import { ChainError, type Curve, defaultTokens, transactionTypes } from '@countersign/chains';
import { offlineOptions } from '@countersign/judgement';
import {
  type CompiledPolicy,
  compilePolicies,
  type DecisionRequest,
  type HostValue,
  type PolicySource,
  type PolicyValue,
} from '@countersign/policy';
import { coversAny, signedNamespaces, withRawContent } from '@countersign/server';
import { z } from 'zod';
import { CliError } from '../errors.ts';
import { describeActivity } from './describe-activity.ts';
import { noRootQuorum, rootQuorumShape, toUser, userShape } from './people-file.ts';
import { readJsonFile, toPolicies } from './policy-file.ts';

const caseShape = z.strictObject({
  name: z.string(),
  /** Activity type, as in a submit request. */
  type: z.string(),
  /**
   * Parameters in the current version, if policies use them. Includes values that the service would fill in, such as the `userId` of a
   * session for the submitter.
   */
  parameters: z.record(z.string(), z.unknown()).optional(),
  /** Tags, names and e-mail addresses that users, keys and wallets gain or lose. A policy must name those that policies trust. */
  added: z.array(z.string()).optional(),
  removed: z.array(z.string()).optional(),
  /** A transaction, parsed like the service does. */
  transaction: z
    .strictObject({
      type: z.enum(Object.keys(transactionTypes) as [keyof typeof transactionTypes]),
      unsigned: z.string(),
      signerPublicKey: z.string(),
    })
    .optional(),
  /** Other namespaces: integers as {"$int": "5"}, maps as {"$map": {…}}. */
  namespaces: z.record(z.string(), z.unknown()).optional(),
  /** The public key that signs raw payloads, in hex: 33 bytes for secp256k1, 32 for ed25519. The service reads payloads as this key. */
  signerPublicKey: z
    .string()
    .regex(/^(?:0[23][0-9a-f]{64}|[0-9a-f]{64})$/)
    .optional(),
  approvers: z.array(z.string()).min(1),
  now: z.iso.datetime().optional(),
  expect: z.enum(['ALLOW', 'DENY', 'NEEDS_CONSENSUS']),
});

const fileShape = z.strictObject({
  users: z.array(userShape),
  rootQuorum: rootQuorumShape.optional(),
  /** Inline policies, or the path of a policy file. */
  policies: z.unknown(),
  /** Which keys sign no bare hashes, as in FEATURE_NAME_NO_BLIND_HASHES. By default as in a new organization. */
  noBlindHashes: z.enum(['covered', 'all', 'none']).default('covered'),
  cases: z.array(caseShape).min(1),
});

/** A case file: policies, people, requests, and the expected decision of each request. */
export interface CaseFile {
  readonly path: string;
  readonly policies: readonly PolicySource[];
  readonly cases: readonly { readonly name: string; readonly expect: string; readonly request: DecisionRequest }[];
}

/** Reads a case file. Throws CliError with the file, the case and the reason. */
export function readCaseFile(path: string): CaseFile {
  return toCaseFile(readJsonFile(path), path);
}

/** Parses a case file. `path` is its location. */
export function toCaseFile(value: unknown, path: string): CaseFile {
  const parsed = fileShape.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new CliError(
      `${path}: ${issue?.path.join('.')}: ${issue?.message}`,
      'A case file contains users, policies and cases; see docs/guide/policy-tests.md.',
    );
  }
  const { users, rootQuorum = noRootQuorum, cases, noBlindHashes } = parsed.data;
  const people = new Map(users.map((user) => [user.id, toUser(user)]));
  const policies = readPolicies(parsed.data.policies, path);
  const compiled = lazily(() => compilePolicies(policies, offlineOptions(policies)).policies);
  return {
    path,
    policies,
    cases: cases.map((one) => {
      const caseError = (message: string, fix = 'Correct the case file.') =>
        new CliError(`${path}: case "${one.name}": ${message}`, fix);
      const described = describeActivity(one.type, one.parameters ?? {});
      if ('problem' in described) throw caseError(described.problem, described.fix);
      const approvers = one.approvers.map((id) => people.get(id) ?? raise(caseError(`no user ${id} in the file`)));
      const request: DecisionRequest = {
        approvers,
        credentials: approvers.flatMap(({ credentials = [] }) => credentials),
        requesterId: one.approvers[0],
        ...described,
        activity: {
          ...described.activity,
          ...(one.added && { added: () => one.added as string[] }),
          ...(one.removed && { removed: () => one.removed as string[] }),
        },
        namespaces: {
          contacts: { all: [], tagged: new Map() },
          ...transactionNamespaces(one.transaction, caseError),
          ...decodeRecord(one.namespaces ?? {}),
        },
        now: one.now === undefined ? Date.now() : Date.parse(one.now),
        rootQuorum,
        organizationUsers: people,
      };
      return { name: one.name, expect: one.expect, request: withPayloads(request, one, noBlindHashes, compiled) };
    }),
  };
}

/** Generator of secp256k1, for cases that do not tell which key signs: an Ethereum transaction can be read with every key. */
const ANY_KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

/** What the service reads in the payloads of a raw signing request. */
function withPayloads(
  request: DecisionRequest,
  { parameters = {}, signerPublicKey = ANY_KEY }: z.output<typeof caseShape>,
  noBlindHashes: 'covered' | 'all' | 'none',
  compiled: () => readonly CompiledPolicy[],
): DecisionRequest {
  const { kind = '' } = request.activity;
  if (kind !== 'SIGN_RAW_PAYLOAD' && kind !== 'SIGN_RAW_PAYLOADS') return request;
  const { payload, payloads = [payload], encoding, hashFunction, signWith = '' } = parameters;
  const texts = (Array.isArray(payloads) ? payloads : []).filter((each): each is string => typeof each === 'string');
  const raw = rawShape.safeParse({ encoding, hashFunction, signWith });
  if (texts.length === 0 || !raw.success) return request;
  const curve: Curve = signerPublicKey.length === 66 ? 'CURVE_SECP256K1' : 'CURVE_ED25519';
  const signer = { curve, publicKey: Buffer.from(signerPublicKey, 'hex') };
  const isHeld =
    noBlindHashes === 'all' || (noBlindHashes === 'covered' && coversAny(compiled(), holderIn(request.namespaces), curve));
  return withRawContent(request, texts, raw.data, { signer, interfaces: [], tokens: defaultTokens }, isHeld);
}

const rawShape = z.object({
  signWith: z.string(),
  encoding: z.enum(['PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8']),
  hashFunction: z.enum([
    'HASH_FUNCTION_NO_OP',
    'HASH_FUNCTION_SHA256',
    'HASH_FUNCTION_KECCAK256',
    'HASH_FUNCTION_NOT_APPLICABLE',
  ]),
});

/** The namespaces of the key and its wallet. */
function holderIn(namespaces: DecisionRequest['namespaces']): Record<string, PolicyValue> {
  const holders = ['wallet', 'wallet_account', 'private_key'].map((path) => [path, namespaces[path]] as const);
  return Object.fromEntries(
    holders.filter((entry): entry is [string, PolicyValue] => entry[1] !== undefined && typeof entry[1] !== 'function'),
  );
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function readPolicies(policies: unknown, path: string): readonly PolicySource[] {
  if (typeof policies !== 'string') return toPolicies(policies, path);
  const file = resolve(dirname(path), policies);
  return toPolicies(readJsonFile(file), file);
}

/** Policy view of a transaction, from the parsers that signing uses. */
function transactionNamespaces(
  transaction: z.output<typeof caseShape>['transaction'],
  caseError: (message: string) => CliError,
): Record<string, HostValue> {
  if (transaction === undefined) return {};
  const type = transactionTypes[transaction.type];
  const signer = { curve: type.curve as Curve, publicKey: Buffer.from(transaction.signerPublicKey, 'hex') };
  try {
    return signedNamespaces(type.parse(transaction.unsigned, { signer, interfaces: [], tokens: defaultTokens }));
  } catch (error) {
    if (error instanceof ChainError) throw caseError(`the transaction cannot be read: ${error.message}`);
    throw error;
  }
}

function decodeRecord(record: Record<string, unknown>): Record<string, PolicyValue> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, decodeValue(value)]));
}

/** Decodes big integers and maps, which JSON lacks. */
function decodeValue(value: unknown): PolicyValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(decodeValue);
  if (typeof value === 'object' && value !== null) {
    const record = value as Record<string, unknown>;
    if (typeof record.$int === 'string') return BigInt(record.$int);
    if (typeof record.$map === 'object' && record.$map !== null)
      return new Map(Object.entries(decodeRecord(record.$map as Record<string, unknown>)));
    return decodeRecord(record);
  }
  throw new CliError(
    'A value in namespaces is a bare number or null.',
    'Write integers as {"$int": "5"} and omit absent fields.',
  );
}

function raise(error: CliError): never {
  throw error;
}
