import { createPrivateKey, createWallet, ethereumAccount, madeUpId, uniqueName } from '../../../support/world.ts';
import { newTarget, prepareImport, STANDARD, utf8 } from '../../sign-in/transfer-support.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';

const owner = ({ root, rootUserId }: Stage) => ({ caller: root, userId: rootUserId });

/** Well formed, but encrypted to no known key. */
const garbled = () => JSON.stringify({ encappedPublic: newTarget().hex, ciphertext: '00'.repeat(48) });

export const transferCases: CatalogueCases = {
  ACTIVITY_TYPE_EXPORT_WALLET: {
    succeeds: async ({ root }) => ({
      params: {
        walletId: (await createWallet(root)).walletId,
        targetPublicKey: newTarget().hex,
        language: 'MNEMONIC_LANGUAGE_KOREAN',
      },
    }),
    refused: () => ({
      params: { walletId: madeUpId(), targetPublicKey: newTarget().hex },
      code: 'NOT_FOUND',
      fields: ['walletId'],
    }),
  },
  ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT: {
    succeeds: async ({ root }) => ({
      params: { address: (await createWallet(root)).addresses[0], targetPublicKey: newTarget().hex },
    }),
    refused: () => ({
      params: { address: `0x${'11'.repeat(20)}`, targetPublicKey: newTarget().hex },
      code: 'NOT_FOUND',
      fields: ['address'],
    }),
  },
  ACTIVITY_TYPE_EXPORT_PRIVATE_KEY: {
    succeeds: async ({ root }) => ({
      params: { privateKeyId: await createPrivateKey(root, 'CURVE_ED25519'), targetPublicKey: newTarget().hex },
    }),
    refused: () => ({
      params: { privateKeyId: madeUpId(), targetPublicKey: newTarget().hex },
      code: 'NOT_FOUND',
      fields: ['privateKeyId'],
    }),
  },
  ACTIVITY_TYPE_INIT_IMPORT_WALLET: {
    succeeds: ({ rootUserId: userId }) => ({ params: { userId } }),
    refused: () => ({ params: { userId: madeUpId() }, code: 'POLICY_DENIED', fields: ['userId'] }),
  },
  ACTIVITY_TYPE_IMPORT_WALLET: {
    async succeeds(stage) {
      const encryptedBundle = await prepareImport(owner(stage), 'wallet', utf8(STANDARD));
      const accounts = [ethereumAccount(0)];
      return { params: { userId: stage.rootUserId, walletName: uniqueName('Wallet'), encryptedBundle, accounts } };
    },
    refused: ({ rootUserId: userId }) => ({
      params: { userId, walletName: uniqueName('Wallet'), encryptedBundle: garbled().slice(1), accounts: [] },
      code: 'BUNDLE_INVALID',
      fields: ['encryptedBundle'],
    }),
  },
  ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY: {
    succeeds: ({ rootUserId: userId }) => ({ params: { userId } }),
    refused: () => ({ params: { userId: madeUpId() }, code: 'POLICY_DENIED', fields: ['userId'] }),
  },
  ACTIVITY_TYPE_IMPORT_PRIVATE_KEY: {
    async succeeds(stage) {
      const encryptedBundle = await prepareImport(owner(stage), 'privateKey', new Uint8Array(32).fill(9));
      const key = { privateKeyName: uniqueName('Key'), curve: 'CURVE_P256', addressFormats: ['ADDRESS_FORMAT_UNCOMPRESSED'] };
      return { params: { userId: stage.rootUserId, ...key, encryptedBundle } };
    },
    refused: ({ rootUserId: userId }) => ({
      params: {
        userId,
        privateKeyName: uniqueName('Key'),
        curve: 'CURVE_P256',
        addressFormats: ['ADDRESS_FORMAT_SOLANA'],
        encryptedBundle: garbled(),
      },
      code: 'REQUEST_INVALID',
      fields: ['addressFormats.0'],
    }),
  },
};
