import type { PolicyValue } from '@countersign/policy';
import { DEFAULT_CODE_LENGTH } from '../auth/otp/one-time-code.ts';
import { uncompressed } from '../vault/p256-point.ts';

type Params = Readonly<Record<string, unknown>>;
type Shown = Readonly<Record<string, PolicyValue>>;

const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
const text = (value: unknown) => (typeof value === 'string' ? value : '');
/** SECURITY: one canonical form, uncompressed and in lower case: no other spelling of a key gets past a policy that names it. */
const targetKey = (value: unknown) => Buffer.from(uncompressed(Buffer.from(text(value), 'hex'))).toString('hex');

/** What `activity.params` shows of an activity's parameters, by kind. Anything that is not named here is invisible to policies. */
const shown: Readonly<Record<string, (params: Params) => Shown>> = {
  SIGN_RAW_PAYLOAD: ({ hashFunction, encoding }) => ({ hash_function: text(hashFunction), encoding: text(encoding) }),
  SIGN_RAW_PAYLOADS: ({ hashFunction, encoding }) => ({ hash_function: text(hashFunction), encoding: text(encoding) }),
  SIGN_TRANSACTION: ({ type }) => ({ type: text(type) }),
  DELETE_USERS: ({ userIds }) => ({ user_ids: list(userIds) }),
  CREATE_API_KEYS: ({ userId }) => ({ user_id: text(userId) }),
  DELETE_API_KEYS: ({ userId, apiKeyIds }) => ({ user_id: text(userId), api_key_ids: list(apiKeyIds) }),
  EXPORT_WALLET: ({ targetPublicKey }) => ({ target_public_key: targetKey(targetPublicKey) }),
  EXPORT_WALLET_ACCOUNT: ({ targetPublicKey }) => ({ target_public_key: targetKey(targetPublicKey) }),
  EXPORT_PRIVATE_KEY: ({ targetPublicKey }) => ({ target_public_key: targetKey(targetPublicKey) }),
  UPDATE_WALLET: ({ walletId }) => ({ wallet_id: text(walletId) }),
  UPDATE_WEBHOOK_ENDPOINT: ({ endpointId }) => ({ endpoint_id: text(endpointId) }),
  DELETE_WEBHOOK_ENDPOINT: ({ endpointId }) => ({ endpoint_id: text(endpointId) }),
  STAMP_LOGIN: ({ sessionProfileId }) => ({ session_profile_id: text(sessionProfileId) }),
  INIT_OTP_AUTH: ({ otpLength }) => ({ otp_length: BigInt(typeof otpLength === 'number' ? otpLength : DEFAULT_CODE_LENGTH) }),
  OTP_LOGIN: ({ sessionProfileId }) => ({ session_profile_id: text(sessionProfileId) }),
  OAUTH_LOGIN: ({ sessionProfileId }) => ({ session_profile_id: text(sessionProfileId) }),
};

export function activityParams(kind: string, params: unknown): Shown | undefined {
  return shown[kind]?.(params as Params);
}
