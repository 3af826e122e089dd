import {
  type Client,
  CountersignError,
  items,
  type ListedActivity,
  type PageRequest,
  type StampedRequest,
  stampedRequest,
} from '@countersign/client';
import type { EffectShape } from '@countersign/contract';

type Answer<Name extends keyof Client> = Client[Name] extends (...given: never[]) => Promise<infer A> ? A : never;

/** What the organization calls things. It comes from the service, so it names things and never decides anything. */
export interface Knowledge {
  readonly contacts: Answer<'listContacts'>['contacts'];
  readonly tokens: Answer<'listTokens'>['tokens'];
  readonly interfaces: Answer<'listSmartContractInterfaces'>['smartContractInterfaces'];
}

/** The key that is to sign, without any secret. */
export interface Signer {
  readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256';
  readonly publicKey: string;
  readonly addressFormat?: string | undefined;
}

/** What this browser read in the stamped bytes. */
export interface Reading {
  readonly sentence: string;
  readonly effects: readonly EffectShape[];
  readonly fullyParsed: boolean;
  readonly unparsed: readonly string[];
  /** Whether the service shows the same effects. */
  readonly agrees: boolean;
}

/**
 * How far the browser can vouch for an activity.
 * `mismatch`: what is shown is not what was stamped. `hidden`: the message is not shown. `read`: a signature, read here.
 * `plain`: the parameters are all there is to read. `unread`: a signature that this browser cannot read.
 */
export type Check =
  | { readonly state: 'mismatch' | 'hidden' }
  | { readonly state: 'plain' | 'unread'; readonly request: StampedRequest }
  | { readonly state: 'read'; readonly request: StampedRequest; readonly reading: Reading };

const SIGNS_TRANSACTION = /^ACTIVITY_TYPE_SIGN_TRANSACTION(_V\d+)?$/;
const SIGNS_PAYLOAD = /^ACTIVITY_TYPE_SIGN_RAW_PAYLOAD(_V\d+)?$/;

/** Reads the stamped message of an activity and compares it with what the service shows. */
export async function checkActivity(client: Client, activity: ListedActivity, knowledge: Knowledge): Promise<Check> {
  if (activity.votes[0]?.message === '') return { state: 'hidden' };
  const request = stampedRequest(activity);
  if (request === undefined) return { state: 'mismatch' };
  const isTransaction = SIGNS_TRANSACTION.test(request.type);
  if (!isTransaction && !SIGNS_PAYLOAD.test(request.type)) return { state: 'plain', request };
  const signer = await signerOf(client, request, activity);
  if (signer === undefined) return { state: 'unread', request };
  const { readSigning } = await import('./read-request.ts');
  try {
    const read = readSigning(request, signer, knowledge);
    if (read === undefined) return { state: isTransaction ? 'unread' : 'plain', request };
    const reading = { ...read, agrees: sameEffects(read.effects, activity.parsed?.effects ?? []) };
    return reading.agrees ? { state: 'read', request, reading } : { state: 'mismatch' };
  } catch {
    // The bytes are no transaction that this browser understands. It says so, and shows the bytes.
    return { state: 'unread', request };
  }
}

const compared = ['kind', 'amount', 'from', 'to', 'owner', 'fee', 'unlimited', 'permit', 'expires', 'bytes'] as const;

/** Whether two lists have the same effects. Words and symbols may differ: token lists and sentences change, amounts and addresses do not. */
export function sameEffects(own: readonly EffectShape[], others: readonly EffectShape[]): boolean {
  const key = (effect: EffectShape) => JSON.stringify([effect.asset?.id, ...compared.map((name) => effect[name] ?? null)]);
  return own.length === others.length && own.every((effect, index) => key(effect) === key(others[index] as EffectShape));
}

/** The key that a request names: an account by its address, or a private key by its id or one of its addresses. */
async function signerOf(client: Client, { parameters }: StampedRequest, activity: ListedActivity): Promise<Signer | undefined> {
  const named = String(parameters.signWith ?? parameters.privateKeyId ?? '');
  const [intent] = Object.values(activity.intent) as { privateKeyId?: string }[];
  for (const id of new Set([named, intent?.privateKeyId ?? ''])) {
    if (!/^[0-9a-f-]{36}$/.test(id)) continue;
    const key = await client.getPrivateKey({ privateKeyId: id }).then(
      (answer) => answer.privateKey,
      (error: unknown) => {
        // No private key has this id: it may be the id of an account. Any other failure says nothing about it.
        if (error instanceof CountersignError && error.status === 404) return undefined;
        throw error;
      },
    );
    if (key === undefined) continue;
    const { curve, publicKey, addresses } = key;
    const format = addresses.find(({ address }) => address.toLowerCase() === named.toLowerCase())?.format;
    // SECURITY: the key must be the one that was stamped: named by its id, or by an address of its own.
    if (named !== key.privateKeyId && format === undefined) return undefined;
    return { curve, publicKey, addressFormat: format };
  }
  return accountOf(client, named);
}

const MAX_SEARCHED = 2000;

async function accountOf(client: Client, address: string): Promise<Signer | undefined> {
  let searched = 0;
  const list = (page: PageRequest) => client.listWalletAccounts(page);
  for await (const account of items(list, 'accounts', ({ walletAccountId }) => walletAccountId)) {
    // Ethereum addresses may be written with or without their checksum.
    if (account.address === address || (address.startsWith('0x') && account.address.toLowerCase() === address.toLowerCase())) {
      return { curve: account.curve, publicKey: account.publicKey, addressFormat: account.addressFormat };
    }
    if (++searched >= MAX_SEARCHED) return undefined;
  }
  return undefined;
}
