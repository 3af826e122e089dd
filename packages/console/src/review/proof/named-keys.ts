import type { StampedRequest } from '@countersign/client';
import { accountRecords, privateKeyRecord, walletRecord } from '../key-records.ts';
import type { KeyClaim, StatedKeys } from '../types.ts';
import { proveAll } from './prove-all.ts';
import type { NamedRecord, Prover } from './prove-record.ts';

/** The parameters that name keys, by kind. An export names an account by its address. */
const parameters: Readonly<Record<KeyClaim['kind'], readonly string[]>> = {
  wallet: ['walletId', 'walletIds'],
  'private key': ['privateKeyId', 'privateKeyIds'],
  account: ['walletAccountIds'],
};
const EXPORTS_ACCOUNT = 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT';
/** Names that are proven. Other keys are shown by their ids. */
const MOST = 50;

/**
 * The keys that a request changes, exports or deletes, with their names.
 * SECURITY: D1096: people know keys by their names. An altered list would call the wallet of the treasury “Test”, so a name counts only if
 * the log proves it. D1098: each key counts once, and all of them count.
 */
export async function namedKeys(
  request: StampedRequest,
  keys: StatedKeys,
  prover: Pick<Prover, 'record'>,
): Promise<readonly KeyClaim[]> {
  const named = (Object.keys(parameters) as KeyClaim['kind'][]).flatMap((kind) =>
    [...new Set(stringsIn(request, kind))].map((id) => ({ kind, id })),
  );
  return Promise.all(
    named.map(async ({ kind, id }, at) => {
      if (at >= MOST) return { kind, id, name: undefined, proof: undefined };
      const { records, ...stated } = recordsOf(kind, id, keys);
      return { kind, id, ...stated, proof: stated.name === undefined ? undefined : await proveAll(records, prover) };
    }),
  );
}

function stringsIn({ type, parameters: given }: StampedRequest, kind: KeyClaim['kind']): readonly string[] {
  const names = kind === 'account' && type === EXPORTS_ACCOUNT ? ['address'] : parameters[kind];
  return names.flatMap((name) => given[name]).filter((id) => typeof id === 'string');
}

interface Stated {
  readonly name: string | undefined;
  readonly address?: string;
  readonly records: readonly NamedRecord[];
}

function recordsOf(kind: KeyClaim['kind'], id: string, { wallets, accounts, privateKeys }: StatedKeys): Stated {
  if (kind === 'wallet') {
    const wallet = wallets.find(({ walletId }) => walletId === id);
    return { name: wallet?.walletName, records: wallet === undefined ? [] : [walletRecord(wallet)] };
  }
  if (kind === 'private key') {
    const key = privateKeys.find(({ privateKeyId }) => privateKeyId === id);
    return { name: key?.privateKeyName, records: key === undefined ? [] : [privateKeyRecord(key)] };
  }
  const account = accounts.find(({ walletAccountId, address }) => walletAccountId === id || address === id);
  const wallet = account?.walletDetails;
  if (account === undefined || wallet === undefined) return { name: undefined, records: [] };
  return { name: wallet.walletName, address: account.address, records: accountRecords(account, wallet) };
}
