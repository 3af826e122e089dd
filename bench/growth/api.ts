import { createECDH } from 'node:crypto';
import type { NewActivity } from './client.ts';
import type { GrowingRecord } from './kinds.ts';

/** How one kind is listed, made and deleted through the API. */
export interface KindApi {
  readonly list: string;
  create(unique: string): NewActivity;
  /** The id of what was made. */
  madeIn(result: never): string;
  delete(ids: readonly string[]): NewActivity;
}

/** A result by the name that its activity gives it. */
type Result<K extends string, T> = { readonly [N in K]: T };

export const api: Readonly<Record<GrowingRecord, KindApi>> = {
  users: {
    list: 'list_users',
    create: (unique) => ({
      path: 'create_users',
      type: 'ACTIVITY_TYPE_CREATE_USERS_V3',
      parameters: {
        users: [
          {
            userName: unique,
            apiKeys: [{ apiKeyName: 'Key', publicKey: newPublicKey(), curveType: 'API_KEY_CURVE_P256' }],
            authenticators: [],
            oauthProviders: [],
            userTags: [],
          },
        ],
      },
    }),
    madeIn: ({ createUsersResult: { userIds } }: Result<'createUsersResult', { userIds: [string] }>) => userIds[0],
    delete: (userIds) => ({ path: 'delete_users', type: 'ACTIVITY_TYPE_DELETE_USERS', parameters: { userIds } }),
  },
  policies: {
    list: 'list_policies',
    create: (unique) => ({
      path: 'create_policy',
      type: 'ACTIVITY_TYPE_CREATE_POLICY_V3',
      parameters: {
        policyName: unique,
        effect: 'EFFECT_ALLOW',
        condition: `activity.kind == 'SIGN_TRANSACTION' && wallet.label == '${unique}'`,
        notes: '',
      },
    }),
    madeIn: ({ createPolicyResult }: Result<'createPolicyResult', { policyId: string }>) => createPolicyResult.policyId,
    delete: (policyIds) => ({ path: 'delete_policies', type: 'ACTIVITY_TYPE_DELETE_POLICIES', parameters: { policyIds } }),
  },
  tags: {
    list: 'list_user_tags',
    create: (unique) => ({
      path: 'create_user_tag',
      type: 'ACTIVITY_TYPE_CREATE_USER_TAG',
      parameters: { userTagName: unique, userIds: [] },
    }),
    madeIn: ({ createUserTagResult }: Result<'createUserTagResult', { userTagId: string }>) => createUserTagResult.userTagId,
    delete: (userTagIds) => ({ path: 'delete_user_tags', type: 'ACTIVITY_TYPE_DELETE_USER_TAGS', parameters: { userTagIds } }),
  },
  wallets: {
    list: 'list_wallets',
    create: (unique) => ({
      path: 'create_wallet',
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      parameters: { walletName: unique, accounts: [], mnemonicLength: 12 },
    }),
    madeIn: ({ createWalletResult }: Result<'createWalletResult', { walletId: string }>) => createWalletResult.walletId,
    delete: (walletIds) => ({
      path: 'delete_wallets',
      type: 'ACTIVITY_TYPE_DELETE_WALLETS',
      parameters: { walletIds, deleteWithoutExport: true },
    }),
  },
  'private keys': {
    list: 'list_private_keys',
    create: (unique) => ({
      path: 'create_private_keys',
      type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
      parameters: {
        privateKeys: [{ privateKeyName: unique, curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }],
      },
    }),
    madeIn: ({ createPrivateKeysResult: { privateKeys } }: Result<'createPrivateKeysResult', MadeKeys>) =>
      privateKeys[0].privateKeyId,
    delete: (privateKeyIds) => ({
      path: 'delete_private_keys',
      type: 'ACTIVITY_TYPE_DELETE_PRIVATE_KEYS',
      parameters: { privateKeyIds, deleteWithoutExport: true },
    }),
  },
};

interface MadeKeys {
  readonly privateKeys: readonly [{ readonly privateKeyId: string }];
}

function newPublicKey(): string {
  const pair = createECDH('prime256v1');
  return pair.generateKeys('hex', 'compressed');
}
