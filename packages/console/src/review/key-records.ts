import type { NamedRecord } from './proof/prove-record.ts';
import type { StatedKeys } from './types.ts';

type Wallet = StatedKeys['wallets'][number];
type Account = StatedKeys['accounts'][number];
type PrivateKey = StatedKeys['privateKeys'][number];

/** The record that proves the name of a wallet. */
export const walletRecord = ({ walletId, walletName, updatedAt }: Omit<Wallet, 'createdAt'>): NamedRecord => ({
  ...{ kind: 'wallet', id: walletId, updatedAt },
  body: { walletName },
});

/** The records that prove that an address is of a wallet, and that the wallet has its name. */
export const accountRecords = (
  { walletAccountId, address, publicKey, updatedAt }: Pick<Account, 'walletAccountId' | 'address' | 'publicKey' | 'updatedAt'>,
  wallet: NonNullable<Account['walletDetails']>,
): readonly NamedRecord[] => [
  walletRecord(wallet),
  { kind: 'walletAccount', id: walletAccountId, updatedAt, body: { walletId: wallet.walletId, address, publicKey } },
];

/** The record that proves the name of a private key. */
export const privateKeyRecord = ({ privateKeyId, privateKeyName, publicKey, updatedAt }: PrivateKey): NamedRecord => ({
  ...{ kind: 'privateKey', id: privateKeyId, updatedAt },
  body: { privateKeyName, publicKey },
});
