import { type AddressFormatId, type Curve, encodeAddress, formatPath, parsePath } from '@countersign/chains';
import { fromHex, sameJson } from '../text.ts';
import { type Change, difference, has, hasChangedOnly, hasEnded, isNew, nothing, type Rules } from './rule.ts';

interface PrivateKeyParams {
  readonly privateKeyName: string;
  readonly curve: Curve;
  readonly addressFormats: readonly string[];
  readonly privateKeyTags?: readonly string[] | undefined;
}

interface AccountParams {
  readonly curve: Curve;
  readonly path: string;
  readonly addressFormat: string;
  readonly name?: string | undefined;
}

interface WalletMade {
  readonly walletId: string;
  readonly addresses: readonly string[];
}

/** INVARIANT: an address in the file is the one of the recorded public key. Policies see addresses, and signatures show keys. */
function isAddressOf(format: string, curve: Curve, publicKey: string, address: string): boolean {
  return encodeAddress(format as AddressFormatId, curve, fromHex(publicKey, 'the public key of a key')) === address;
}

/** Whether a private key is new and is the one that was asked for. */
export function isNewPrivateKey(
  change: Change,
  { privateKeyName, curve, addressFormats, privateKeyTags = [] }: PrivateKeyParams,
  imported: boolean,
): boolean {
  if (!isNew(change, 'privateKey')) return false;
  const { publicKey, addresses } = change.after;
  return (
    has(change.after, { privateKeyName, curve, privateKeyTags, imported, exported: false, disabled: undefined }) &&
    sameJson(
      addresses.map(({ format }) => format),
      addressFormats,
    ) &&
    addresses.every(({ format, address }) => isAddressOf(format, curve, publicKey, address))
  );
}

/** Whether an account is new, is one of those that were asked for, and has an address of the result. */
function isNewAccount(change: Change, accounts: readonly AccountParams[], { walletId, addresses }: WalletMade): boolean {
  if (!isNew(change, 'walletAccount')) return false;
  const { curve, addressFormat, publicKey, address } = change.after;
  return (
    addresses.includes(address) &&
    isAddressOf(addressFormat, curve, publicKey, address) &&
    accounts.some(({ path, name, ...given }) =>
      has(change.after, {
        walletId,
        path: formatPath(parsePath(path)),
        curve: given.curve,
        addressFormat: given.addressFormat,
        name,
        exported: undefined,
      }),
    )
  );
}

/** Whether a wallet is new and is the one that was asked for, or is an account of it. */
export function isOfNewWallet(
  change: Change,
  { walletName, accounts }: { readonly walletName: string; readonly accounts: readonly AccountParams[] },
  made: WalletMade,
  imported: boolean,
): boolean {
  if (isNew(change, 'wallet'))
    return (
      change.id === made.walletId && has(change.after, { walletName, imported, exported: false, deletedAccounts: undefined })
    );
  return isNewAccount(change, accounts, made);
}

/** Whether a key of `gaining` got one of these tags, or one of `losing` lost one. Undefined means all keys. */
function isRetagged(
  change: Change,
  tagIds: readonly string[],
  gaining: readonly string[],
  losing: readonly string[] | undefined,
): boolean {
  if (!hasChangedOnly(change, 'privateKey', ['privateKeyTags'])) return false;
  const { id, before, after } = change;
  return difference(before.privateKeyTags, after.privateKeyTags).every(
    (tag) => tagIds.includes(tag) && (after.privateKeyTags.includes(tag) ? gaining.includes(id) : (losing?.includes(id) ?? true)),
  );
}

export const keyRules: Rules<
  | 'createPrivateKeys'
  | 'deletePrivateKeys'
  | 'disablePrivateKey'
  | 'createPrivateKeyTag'
  | 'updatePrivateKeyTag'
  | 'deletePrivateKeyTags'
  | 'createWallet'
  | 'createWalletAccounts'
  | 'deleteWallets'
  | 'deleteWalletAccounts'
  | 'updateWallet'
  | 'exportPrivateKey'
  | 'exportWallet'
  | 'exportWalletAccount'
  | 'importPrivateKey'
  | 'importWallet'
  | 'initImportPrivateKey'
  | 'initImportWallet'
> = {
  createPrivateKeys: (change, { params, result }) =>
    params.privateKeys.some(
      (key, at) => result.privateKeys[at]?.privateKeyId === change.id && isNewPrivateKey(change, key, false),
    ),
  deletePrivateKeys: (change, { params }) => hasEnded(change, 'privateKey') && params.privateKeyIds.includes(change.id),
  disablePrivateKey: (change, { params }) =>
    hasChangedOnly(change, 'privateKey', ['disabled']) && change.id === params.privateKeyId && change.after.disabled === true,
  createPrivateKeyTag: (change, { params, result }) =>
    (isNew(change, 'privateKeyTag') &&
      change.id === result.privateKeyTagId &&
      change.after.tagName === params.privateKeyTagName) ||
    isRetagged(change, [result.privateKeyTagId], params.privateKeyIds, []),
  updatePrivateKeyTag: (change, { params: { privateKeyTagId, newPrivateKeyTagName, addPrivateKeyIds, removePrivateKeyIds } }) =>
    (hasChangedOnly(change, 'privateKeyTag', ['tagName']) &&
      change.id === privateKeyTagId &&
      change.after.tagName === (newPrivateKeyTagName ?? change.before.tagName)) ||
    isRetagged(change, [privateKeyTagId], addPrivateKeyIds, removePrivateKeyIds),
  deletePrivateKeyTags: (change, { params: { privateKeyTagIds } }) =>
    (hasEnded(change, 'privateKeyTag') && privateKeyTagIds.includes(change.id)) ||
    isRetagged(change, privateKeyTagIds, [], undefined),
  createWallet: (change, { params, result }) => isOfNewWallet(change, params, result, false),
  createWalletAccounts: (change, { params: { walletId, accounts }, result: { addresses } }) =>
    isNewAccount(change, accounts, { walletId, addresses }),
  deleteWallets: (change, { params: { walletIds } }) =>
    (hasEnded(change, 'wallet') && walletIds.includes(change.id)) ||
    (hasEnded(change, 'walletAccount') && walletIds.includes(change.before.walletId)),
  deleteWalletAccounts: (change, { params: { walletAccountIds } }) =>
    (hasEnded(change, 'walletAccount') && walletAccountIds.includes(change.id)) ||
    hasChangedOnly(change, 'wallet', ['deletedAccounts']),
  updateWallet: (change, { params: { walletId, walletName } }) =>
    hasChangedOnly(change, 'wallet', ['walletName']) &&
    change.id === walletId &&
    change.after.walletName === (walletName ?? change.before.walletName),
  exportPrivateKey: (change, { params }) =>
    hasChangedOnly(change, 'privateKey', ['exported']) && change.id === params.privateKeyId && change.after.exported,
  exportWallet: (change, { params }) =>
    hasChangedOnly(change, 'wallet', ['exported']) && change.id === params.walletId && change.after.exported,
  exportWalletAccount: (change, { result }) =>
    hasChangedOnly(change, 'walletAccount', ['exported']) && change.after.address === result.address,
  importPrivateKey: (change, { params, result }) => change.id === result.privateKeyId && isNewPrivateKey(change, params, true),
  importWallet: (change, { params, result }) => isOfNewWallet(change, params, result, true),
  initImportPrivateKey: nothing,
  initImportWallet: nothing,
};
