import {
  type Client,
  CountersignError,
  items,
  type ListedActivity,
  type PageRequest,
  type StampedRequest,
  stampedRequest,
} from '@countersign/client';
import { isSending } from '@countersign/contract';
import type { NamedRecord, Prover } from './proof/prove-record.ts';
import { signerNameOf } from './signer-name.ts';
import type { Check, Knowledge, Signer } from './types.ts';

const SIGNS_TRANSACTION = /^ACTIVITY_TYPE_SIGN_TRANSACTION(_V\d+)?$/;
const SIGNS_PAYLOAD = /^ACTIVITY_TYPE_SIGN_RAW_PAYLOAD(_V\d+)?$/;

/**
 * Decodes the stamped message of an activity and compares it with the response of the service. The sentence contains only names that the log
 * proves.
 */
export async function checkActivity(
  client: Client,
  activity: ListedActivity,
  knowledge: Knowledge,
  prover: Pick<Prover, 'record' | 'result'>,
): Promise<Check> {
  if (activity.votes[0]?.message === '') return { state: 'hidden' };
  const request = stampedRequest(activity);
  if (request === undefined || request.reference !== activity.reference) return { state: 'mismatch' };
  const isTransaction = SIGNS_TRANSACTION.test(request.type) || isSending(request.type);
  if (!isTransaction && !SIGNS_PAYLOAD.test(request.type)) return { state: 'plain', request };
  const signer = await signerOf(client, request, activity);
  if (signer === undefined) return { state: 'unread', request };
  const [{ isUnreadable }, { readAs }] = await Promise.all([import('./read-request.ts'), import('./read-activity.ts')]);
  try {
    return await readAs({ client, activity, request, signer, knowledge, prover, isTransaction });
  } catch (error) {
    // This browser cannot decode the transaction. It reports this and shows the bytes.
    if (isUnreadable(error)) return { state: 'unread', request };
    throw error;
  }
}

/** The signing key of a request: an account by its address, or a private key by its id or one of its addresses. */
async function signerOf(client: Client, { parameters }: StampedRequest, activity: ListedActivity): Promise<Signer | undefined> {
  const named = signerNameOf(parameters);
  const [intent] = Object.values(activity.intent) as { privateKeyId?: string }[];
  for (const id of new Set([named, intent?.privateKeyId ?? ''])) {
    if (!/^[0-9a-f-]{36}$/.test(id)) continue;
    const key = await client.getPrivateKey({ privateKeyId: id }).then(
      (answer) => answer.privateKey,
      // Not a private key: it may be the id of an account.
      (error: unknown) => unlessStatus(error, [404, 403]),
    );
    if (key === undefined) continue;
    const { curve, publicKey, addresses, privateKeyName, privateKeyId, updatedAt } = key;
    const format = addresses.find(({ address }) => address.toLowerCase() === named.toLowerCase())?.format;
    // SECURITY: the key must be the stamped one: the stamped text is its id or one of its addresses.
    if (named !== key.privateKeyId && format === undefined) return undefined;
    const record: NamedRecord = { kind: 'privateKey', id: privateKeyId, updatedAt, body: { privateKeyName, publicKey } };
    return { curve, publicKey, addressFormat: format, source: { kind: 'private key', name: privateKeyName }, records: [record] };
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
export function signerFor(account: Omit<Account, 'organizationId' | 'pathFormat' | 'path'>): Signer {
  const { curve, publicKey, addressFormat, walletDetails: wallet } = account;
  if (wallet === undefined) return { curve, publicKey, addressFormat };
  const { walletId, walletName } = wallet;
  const { walletAccountId, address, updatedAt } = account;
  return {
    ...{ curve, publicKey, addressFormat, source: { kind: 'wallet', name: walletName } },
    records: [
      { kind: 'wallet', id: walletId, updatedAt: wallet.updatedAt, body: { walletName } },
      { kind: 'walletAccount', id: walletAccountId, updatedAt, body: { walletId, address, publicKey } },
    ],
  };
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
