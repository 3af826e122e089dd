import type { Client } from '@countersign/client';
import { keySigner, signerFor } from '../../review/check-activity.ts';
import type { Signer } from '../../review/types.ts';

type ListedAccount = Awaited<ReturnType<Client['listWalletAccounts']>>['accounts'][number];
type ListedKey = Awaited<ReturnType<Client['listPrivateKeys']>>['privateKeys'][number];

/** A key at one of its addresses: an account of a wallet, or a private key. */
export interface Account {
  readonly id: string;
  /** The name of the wallet or of the private key, as the service states it. */
  readonly name: string;
  readonly kind: 'wallet' | 'private key';
  readonly address: string;
  readonly addressFormat: string;
  readonly curve: Signer['curve'];
  readonly signer: Signer;
}

export function accountOfWallet(listed: ListedAccount): Account {
  const { walletAccountId: id, walletDetails, address, addressFormat, curve } = listed;
  return { id, name: walletDetails?.walletName ?? '', kind: 'wallet', address, addressFormat, curve, signer: signerFor(listed) };
}

/** A private key at each of its addresses. None for a key without an address. */
export function accountsOfKey(key: ListedKey): readonly Account[] {
  const { privateKeyId, privateKeyName: name, curve } = key;
  return key.addresses.flatMap(({ address, format: addressFormat }): Account[] => {
    const signer = keySigner(key, address);
    if (signer === undefined) return [];
    return [{ id: `${privateKeyId} ${address}`, name, kind: 'private key', address, addressFormat, curve, signer }];
  });
}
