import { activities, ServiceError } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { readAccounts } from '../wallets/new-accounts.ts';
import { recordWallet, requireNewWallet } from '../wallets/new-wallet.ts';
import { readEncryptedBundle } from './encrypted-bundle.ts';
import { heldAlready, knownWallets, placesOf, walletWith } from './held-already.ts';
import { openTargets, removeTarget, requireOwnImport, unreadable } from './import-targets.ts';

export const importWallet = execute(activities.importWallet, {
  locksOrganization: true,

  async plan(context, params) {
    const { userId, walletName } = params;
    requireOwnImport(context, userId);
    const accounts = readAccounts(params.accounts, 'accounts');
    await requireNewWallet(context, walletName);
    const message = readEncryptedBundle(params.encryptedBundle, 'encryptedBundle');
    const targets = openTargets(context, 'IMPORT_WALLET');
    return { intent: params, subject: {}, prepared: { walletName, accounts, message, targets } };
  },

  async run(context, { prepared: { walletName, accounts, message, targets } }) {
    const { organization, vault, newId } = context;
    const walletId = newId();
    const wallets = await knownWallets(context);
    const places = placesOf(wallets);
    const imported = await vault.transfers.importWallet(organization.id, walletId, targets, message, [...accounts, ...places]);
    const nothing = { result: { walletId: '', addresses: [] } };
    if (imported.outcome === 'UNREADABLE') return { ...nothing, changes: [], refusal: unreadable() };
    const used = removeTarget(imported.targetId);
    if (imported.outcome === 'UNFIT') return { ...nothing, changes: used, refusal: noPhrase() };
    const { ciphertext, publicKeys } = imported;
    const held = walletWith(wallets, places, publicKeys.slice(accounts.length));
    if (held !== undefined) return { ...nothing, changes: used, refusal: heldAlready(`wallet ${held}`) };
    const wallet = await recordWallet(context, { walletId, walletName, accounts, imported: true }, ciphertext, publicKeys);
    return { result: wallet.result, changes: [...used, ...wallet.changes] };
  },
});

/** SECURITY: do not report which word or bit is wrong. */
function noPhrase(): ServiceError {
  return new ServiceError(
    'BUNDLE_INVALID',
    'The bundle does not contain a recovery phrase: 12, 15, 18, 21 or 24 words of one language with a valid checksum. Check the words and their order, and start again with a new target.',
  );
}
