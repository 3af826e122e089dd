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
import type { Check, Knowledge, Signer } from './types.ts';

const SIGNS_TRANSACTION = /^ACTIVITY_TYPE_SIGN_TRANSACTION(_V\d+)?$/;
const SIGNS_PAYLOAD = /^ACTIVITY_TYPE_SIGN_RAW_PAYLOAD(_V\d+)?$/;

/** Decodes the stamped message of an activity and compares it with the response of the service. */
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
    // This browser cannot decode the transaction. It reports this and shows the bytes.
    return { state: 'unread', request };
  }
}

const compared = ['kind', 'amount', 'from', 'to', 'owner', 'fee', 'unlimited', 'permit', 'expires', 'bytes'] as const;

/** Whether two lists have the same effects. Labels and symbols may differ, amounts and addresses may not. */
export function sameEffects(own: readonly EffectShape[], others: readonly EffectShape[]): boolean {
  const key = (effect: EffectShape) => JSON.stringify([effect.asset?.id, ...compared.map((name) => effect[name] ?? null)]);
  return own.length === others.length && own.every((effect, index) => key(effect) === key(others[index] as EffectShape));
}

/** The signing key of a request: an account by its address, or a private key by its id or one of its addresses. */
async function signerOf(client: Client, { parameters }: StampedRequest, activity: ListedActivity): Promise<Signer | undefined> {
  const named = String(parameters.signWith ?? parameters.privateKeyId ?? '');
  const [intent] = Object.values(activity.intent) as { privateKeyId?: string }[];
  for (const id of new Set([named, intent?.privateKeyId ?? ''])) {
    if (!/^[0-9a-f-]{36}$/.test(id)) continue;
    const key = await client.getPrivateKey({ privateKeyId: id }).then(
      (answer) => answer.privateKey,
      // Not a private key: it may be the id of an account.
      (error: unknown) => unlessStatus(error, [404, 403]),
    );
    if (key === undefined) continue;
    const { curve, publicKey, addresses, privateKeyName } = key;
    const format = addresses.find(({ address }) => address.toLowerCase() === named.toLowerCase())?.format;
    // SECURITY: the key must be the stamped one: the stamped text is its id or one of its addresses.
    if (named !== key.privateKeyId && format === undefined) return undefined;
    return { curve, publicKey, addressFormat: format, source: { kind: 'private key', name: privateKeyName } };
  }
  return accountOf(client, named).catch((error: unknown) => unlessStatus(error, [403]));
}

/** Returns undefined for an error with one of these statuses, and throws others. Approvers may not be allowed to read keys. */
function unlessStatus(error: unknown, statuses: readonly number[]): undefined {
  if (error instanceof CountersignError && statuses.includes(error.status)) return undefined;
  throw error;
}

const MAX_SEARCHED = 2000;

/** The signer of an account, with the name of its wallet if the response contains it. */
export function signerFor({
  curve,
  publicKey,
  addressFormat,
  walletDetails,
}: Pick<Account, 'curve' | 'publicKey' | 'addressFormat' | 'walletDetails'>): Signer {
  return { curve, publicKey, addressFormat, source: walletDetails && { kind: 'wallet', name: walletDetails.walletName } };
}

type Account = Awaited<ReturnType<Client['listWalletAccounts']>>['accounts'][number];

async function accountOf(client: Client, address: string): Promise<Signer | undefined> {
  let searched = 0;
  const list = (page: PageRequest) => client.listWalletAccounts({ ...page, includeWalletDetails: true });
  for await (const account of items(list, 'accounts', ({ walletAccountId }) => walletAccountId)) {
    // Ethereum addresses may have a checksum or not.
    if (account.address === address || (address.startsWith('0x') && account.address.toLowerCase() === address.toLowerCase())) {
      return signerFor(account);
    }
    if (++searched >= MAX_SEARCHED) return undefined;
  }
  return undefined;
}
