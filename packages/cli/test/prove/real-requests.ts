import { readFileSync } from 'node:fs';
import {
  ChainError,
  type ContractInterface,
  defaultTokens,
  type ParseContext,
  parseAuthorization,
  parseTypedData,
  type SignerKey,
  transactionTypes,
} from '@countersign/chains';
import { type ActivityDefinition, activities, judgedByPolicies } from '@countersign/contract';
import type { PolicySubject } from '@countersign/judgement';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { Schema } from '../../../../test/support/schema-values.ts';
import { output, proof, psbtOf, spend } from '../../../chains/test/bitcoin/psbt-builder.ts';
import { type Holder, holders } from './holders.ts';
import { Random } from './random.ts';
import { sampleOf } from './sample-values.ts';

/** A request of the service without its organization: an activity and what its executor found out about it. */
export interface RealRequest {
  readonly name: string;
  /** The chain of the content to sign. Empty for other activities. */
  readonly chain: string;
  readonly definition: ActivityDefinition;
  readonly type: string;
  readonly params: unknown;
  readonly subject: PolicySubject;
}

const conformance = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../../../conformance/${path}.json`, import.meta.url), 'utf8'));

type Parsed = NonNullable<PolicySubject['parsed']>;

interface Vector {
  readonly name: string;
  readonly type: string;
  readonly unsigned: string;
  readonly signer: SignerKey;
  readonly interfaces?: readonly ContractInterface[];
}

const secp = (publicKey: string, addressFormat?: string): SignerKey => ({
  curve: 'CURVE_SECP256K1',
  publicKey: hexToBytes(publicKey),
  ...(addressFormat !== undefined && { addressFormat }),
});
const ed25519 = (publicKey: string): SignerKey => ({ curve: 'CURVE_ED25519', publicKey: hexToBytes(publicKey) });
const publicKeyOf = (secretKey: string): SignerKey => ({
  curve: 'CURVE_SECP256K1',
  publicKey: secp256k1.getPublicKey(hexToBytes(secretKey)),
});

/** Every transaction of the conformance files, and Bitcoin outputs that they lack: coins in a data output. */
function transactions(): readonly Vector[] {
  const [ethereum, solana, tron, bitcoin, effects] = [
    'transactions/ethereum',
    'transactions/solana',
    'transactions/tron',
    'transactions/bitcoin',
    'effects/transactions',
  ].map(conformance);
  const bitcoinKey = bitcoin.signer.publicKeyHex;
  return [
    ...ethereum.map((each: { name: string; unsigned: string; secretKey: string; interfaces: ContractInterface[] }) => ({
      ...each,
      type: 'TRANSACTION_TYPE_ETHEREUM',
      signer: publicKeyOf(each.secretKey),
    })),
    ...solana.transactions.map((each: { name: string; unsignedTransaction: string }) => ({
      name: each.name,
      type: 'TRANSACTION_TYPE_SOLANA',
      unsigned: each.unsignedTransaction,
      signer: ed25519(solana.signer.publicKeyHex),
    })),
    ...tron.transactions.map((each: { name: string; unsignedTransaction: string }) => ({
      name: each.name,
      type: 'TRANSACTION_TYPE_TRON',
      unsigned: each.unsignedTransaction,
      signer: publicKeyOf(tron.signer.secretKeyHex),
    })),
    ...bitcoin.transactions.map((each: { name: string; unsignedTransaction: string; addressFormat?: string }) => ({
      name: each.name,
      type: 'TRANSACTION_TYPE_BITCOIN',
      unsigned: each.unsignedTransaction,
      signer: secp(bitcoinKey, each.addressFormat),
    })),
    ...effects.transactions
      .filter((each: { type: string }) => each.type.startsWith('TRANSACTION_TYPE_'))
      .map((each: { name: string; type: string; unsigned: string; signer: string }) => ({
        name: each.name,
        type: each.type,
        unsigned: each.unsigned,
        signer: each.type === 'TRANSACTION_TYPE_SOLANA' ? ed25519(each.signer) : secp(each.signer),
      })),
    {
      name: 'coins in a data output',
      type: 'TRANSACTION_TYPE_BITCOIN',
      unsigned: psbtOf([[spend('P2WPKH'), proof]], [output(2n, '6a0568656c6c6f'), output(5n, '51')]),
      signer: secp(bitcoinKey),
    },
  ];
}

/** Every typed message of the conformance files. */
function messages(): readonly { readonly name: string; readonly encoding: string; readonly payload: string }[] {
  const effects = conformance('effects/transactions').transactions as { name: string; type: string; message: unknown }[];
  return [
    ...conformance('transactions/ethereum-messages'),
    ...effects
      .filter(({ type }) => type === 'EIP-712')
      .map(({ name, message }) => ({ name, encoding: 'PAYLOAD_ENCODING_EIP712', payload: JSON.stringify(message) })),
  ];
}

const contextOf = (signer: SignerKey, interfaces: readonly ContractInterface[] = []): ParseContext => ({
  signer,
  interfaces,
  tokens: defaultTokens,
});

function parsedTransactions(): readonly { readonly vector: Vector; readonly parsed: Parsed }[] {
  return transactions().flatMap((vector) => {
    const type = transactionTypes[vector.type as keyof typeof transactionTypes];
    try {
      return [{ vector, parsed: type.parse(vector.unsigned, contextOf(vector.signer, vector.interfaces)) }];
    } catch (error) {
      // The file also contains transactions that need another interface.
      if (error instanceof ChainError) return [];
      throw error;
    }
  });
}

function parsedMessages(): readonly {
  readonly name: string;
  readonly encoding: string;
  readonly payload: string;
  readonly parsed: Parsed;
}[] {
  const context = contextOf(publicKeyOf('46'.repeat(32)));
  return messages().flatMap((message) => {
    const parse = message.encoding === 'PAYLOAD_ENCODING_EIP712' ? parseTypedData : parseAuthorization;
    try {
      return [{ ...message, parsed: parse(message.payload, context) }];
    } catch (error) {
      // The file also contains messages that are refused.
      if (error instanceof ChainError) return [];
      throw error;
    }
  });
}

const subjectOf = ({ subject }: Holder, parsed?: Parsed): PolicySubject =>
  parsed === undefined ? subject : { ...subject, parsed };

/** Every transaction and typed message, signed by a wallet account and by a private key, in every version of its activity. */
export function signedRequests(): readonly RealRequest[] {
  const requests: RealRequest[] = [];
  const add = (definition: ActivityDefinition, name: string, chain: string, params: object, parsed: Parsed | undefined) => {
    for (const [index, { type }] of definition.versions.entries()) {
      const holder = holders[(requests.length + index) % holders.length] as Holder;
      requests.push({
        name,
        chain,
        definition,
        type,
        params: { ...params, signWith: holder.signWith },
        subject: subjectOf(holder, parsed),
      });
    }
  };
  for (const { vector, parsed } of parsedTransactions())
    add(
      activities.signTransaction,
      vector.name,
      parsed.namespace,
      { unsignedTransaction: vector.unsigned, type: vector.type },
      parsed,
    );
  for (const { name, encoding, payload, parsed } of parsedMessages())
    add(activities.signRawPayload, name, parsed.namespace, { payload, encoding, hashFunction: 'HASH_FUNCTION_NO_OP' }, parsed);
  const raw = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };
  for (const _ of holders) {
    add(activities.signRawPayload, 'bytes', 'raw', { ...raw, payload: '00ff' }, undefined);
    add(activities.signRawPayloads, 'bytes', 'raw', { ...raw, payloads: ['00', 'ff'] }, undefined);
  }
  return requests;
}

/** The activities that policies decide. */
export const judged: readonly ActivityDefinition[] = Object.values<ActivityDefinition>(activities).filter(judgedByPolicies);

/** Requests of an activity with parameters that its schema accepts. */
export function requestsOf(definition: ActivityDefinition, count: number, seed: number): readonly RealRequest[] {
  const input = definition.input as unknown as Schema & ActivityDefinition['input'];
  const random = new Random(seed);
  const drawn: unknown[] = [];
  for (let attempt = 0; drawn.length < count && attempt < 200 * count; attempt += 1) {
    const params = sampleOf(input, random);
    if (input.safeParse(params).success) drawn.push(params);
  }
  return drawn.map((params, index): RealRequest => {
    const { type } = definition.versions[index % definition.versions.length] as { type: string };
    return { name: definition.name, chain: '', definition, type, params, subject: subjectFor(definition, index) };
  });
}

/** What an executor adds to the request. */
function subjectFor(definition: ActivityDefinition, index: number): PolicySubject {
  const [account, key] = [holders[0] as Holder, holders[1] as Holder];
  const touches = [
    { what: 'TAGS', userId: 'b', tagIds: ['tag-ops'] },
    { what: 'NAME', userId: 'b', userName: 'Name of a', lost: true },
  ] as const;
  switch (definition.name) {
    case 'updateWallet':
    case 'exportWallet':
      return { ...(account.subject.wallet && { wallet: account.subject.wallet }) };
    case 'exportWalletAccount':
      return account.subject;
    case 'deleteWallets':
    case 'deleteWalletAccounts':
      return { wallets: account.subject.wallet === undefined ? [] : [account.subject.wallet] };
    case 'disablePrivateKey':
    case 'exportPrivateKey':
      return key.subject;
    default:
      return definition.policy.resource === 'USER' && index % 2 === 0 ? { touches } : {};
  }
}
