import type { PolicyValue } from '@countersign/policy';

type Params = Readonly<Record<string, unknown>>;
type Shown = Readonly<Record<string, PolicyValue>>;

const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** What `activity.params` shows of an activity's parameters, by kind. Anything that is not named here is invisible to policies. */
const shown: Readonly<Record<string, (params: Params) => Shown>> = {
  SIGN_RAW_PAYLOAD: ({ hashFunction, encoding }) => ({ hash_function: text(hashFunction), encoding: text(encoding) }),
  SIGN_RAW_PAYLOADS: ({ hashFunction, encoding }) => ({ hash_function: text(hashFunction), encoding: text(encoding) }),
  SIGN_TRANSACTION: ({ type }) => ({ type: text(type) }),
  DELETE_USERS: ({ userIds }) => ({ user_ids: list(userIds) }),
  CREATE_API_KEYS: ({ userId }) => ({ user_id: text(userId) }),
  DELETE_API_KEYS: ({ userId, apiKeyIds }) => ({ user_id: text(userId), api_key_ids: list(apiKeyIds) }),
  EXPORT_WALLET: ({ targetPublicKey }) => ({ target_public_key: text(targetPublicKey) }),
  EXPORT_WALLET_ACCOUNT: ({ targetPublicKey }) => ({ target_public_key: text(targetPublicKey) }),
  EXPORT_PRIVATE_KEY: ({ targetPublicKey }) => ({ target_public_key: text(targetPublicKey) }),
  UPDATE_WALLET: ({ walletId }) => ({ wallet_id: text(walletId) }),
};

export function activityParams(kind: string, params: unknown): Shown | undefined {
  return shown[kind]?.(params as Params);
}
