import { type Client, CountersignError, type ListedActivity, type StampedRequest, stampedRequest } from '@countersign/client';
import { isSending } from '@countersign/contract';
import { accountRecords, privateKeyRecord } from './key-records.ts';
import type { Prover } from './proof/prove-record.ts';
import { signerNameOf } from './signer-name.ts';
import type { Check, Knowledge, Signer, StatedKeys } from './types.ts';

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
  keys: StatedKeys = { wallets: [], accounts: [], privateKeys: [] },
): Promise<Check> {
  if (activity.votes[0]?.message === '') return { state: 'hidden' };
  const request = stampedRequest(activity);
  if (request === undefined || request.reference !== activity.reference) return { state: 'mismatch' };
  const isTransaction = SIGNS_TRANSACTION.test(request.type) || isSending(request.type);
  if (!isTransaction && !SIGNS_PAYLOAD.test(request.type)) {
    const { namedKeys } = await import('./proof/named-keys.ts');
    return { state: 'plain', request, keys: await namedKeys(request, keys, prover) };
  }
  const signer = await signerOf(client, request, activity, keys);
  if (signer === undefined) return { state: 'unread', request };
  const [{ isNamed, isUnreadable }, { readAs }] = await Promise.all([import('./read-request.ts'), import('./read-activity.ts')]);
  if (!isNamed(signer, signerNameOf(request.parameters))) return { state: 'mismatch' };
  try {
    return await readAs({ client, activity, request, signer, knowledge, prover, isTransaction });
  } catch (error) {
    // This browser cannot decode the transaction. It reports this and shows the bytes.
    if (isUnreadable(error)) return { state: 'unread', request };
    throw error;
  }
}

type PrivateKey = StatedKeys['privateKeys'][number];
type Account = StatedKeys['accounts'][number];

/**
 * The signing key of a request: an account by its address, or a private key by its id or one of its addresses. Asks the service for a key
 * that is not among the given ones.
 */
async function signerOf(
  client: Client,
  { parameters }: StampedRequest,
  activity: ListedActivity,
  keys: StatedKeys,
): Promise<Signer | undefined> {
  const named = signerNameOf(parameters);
  const [intent] = Object.values(activity.intent) as { privateKeyId?: string }[];
  const accounts = keys.accounts.filter((account) => isAt(account, named));
  // Several wallets can have an account with the same address.
  const known = accounts.find(({ walletAccountId }) => walletAccountId === intent?.privateKeyId) ?? accounts[0];
  if (known !== undefined) return signerFor(known);
  for (const id of new Set([named, intent?.privateKeyId ?? ''])) {
    if (!/^[0-9a-f-]{36}$/.test(id)) continue;
    const key =
      keys.privateKeys.find(({ privateKeyId }) => privateKeyId === id) ??
      (await client.getPrivateKey({ privateKeyId: id }).then(
        (answer) => answer.privateKey,
        // Not a private key: it may be the id of an account.
        (error: unknown) => unlessStatus(error, [404, 403]),
      ));
    if (key !== undefined) return keySigner(key, named);
  }
  return accountOf(client, named).catch((error: unknown) => unlessStatus(error, [403]));
}

/** The signer of a private key, if the service states that the stamped text is its id or one of its addresses. */
export function keySigner(key: PrivateKey, named: string): Signer | undefined {
  const { curve, publicKey, addresses, privateKeyName, privateKeyId } = key;
  const format = addresses.find(({ address }) => address.toLowerCase() === named.toLowerCase())?.format;
  if (named !== privateKeyId && format === undefined) return undefined;
  return {
    curve,
    publicKey,
    addressFormat: format,
    keyId: privateKeyId,
    source: { kind: 'private key', name: privateKeyName },
    records: [privateKeyRecord(key)],
  };
}

/** Returns undefined for an error with one of these statuses, and throws others. Approvers may not be allowed to read keys. */
function unlessStatus(error: unknown, statuses: readonly number[]): undefined {
  if (error instanceof CountersignError && statuses.includes(error.status)) return undefined;
  throw error;
}

/** The signer of an account, with the name of its wallet if the response contains it. */
export function signerFor(account: Omit<Account, 'organizationId' | 'pathFormat' | 'path'>): Signer {
  const { curve, publicKey, addressFormat, walletDetails: wallet } = account;
  if (wallet === undefined) return { curve, publicKey, addressFormat };
  return {
    ...{ curve, publicKey, addressFormat, source: { kind: 'wallet', name: wallet.walletName } },
    records: accountRecords(account, wallet),
  };
}

async function accountOf(client: Client, address: string): Promise<Signer | undefined> {
  const { accounts } = await client.listWalletAccounts({ address, includeWalletDetails: true });
  const found = accounts.find((account) => isAt(account, address));
  return found && signerFor(found);
}

/** Whether an account has an address. Ethereum addresses may have a checksum or not. */
const isAt = ({ address }: Account, wanted: string) =>
  address === wanted || (wanted.startsWith('0x') && address.toLowerCase() === wanted.toLowerCase());
