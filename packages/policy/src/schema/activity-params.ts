import { t } from '../types.ts';
import type { Namespace } from './namespace.ts';

const signing = ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS'];
const exports = ['EXPORT_WALLET', 'EXPORT_WALLET_ACCOUNT', 'EXPORT_PRIVATE_KEY'];
const logins = ['OTP_LOGIN', 'STAMP_LOGIN', 'OAUTH_LOGIN'];

/** The parameters that conditions may see, and the kinds of activity that have them. Nothing of a raw payload is among them. */
export const activityParams: readonly Namespace[] = [
  param('hash_function', t.word('hash_function'), signing, 'The hash function of a raw signature'),
  param('encoding', t.word('payload_encoding'), signing, 'The encoding of a raw payload'),
  param('type', t.word('transaction_type'), ['SIGN_TRANSACTION'], 'The type of the transaction'),
  param('user_ids', t.list(t.string), ['DELETE_USERS'], 'The users to delete'),
  param('user_id', t.string, ['CREATE_API_KEYS', 'DELETE_API_KEYS'], 'The user whose keys change'),
  param('api_key_ids', t.list(t.string), ['DELETE_API_KEYS'], 'The API keys to delete'),
  param('target_public_key', t.hex, exports, 'The key that an export is encrypted to'),
  param('wallet_id', t.string, ['UPDATE_WALLET'], 'The wallet to update'),
  param('otp_length', t.int, ['INIT_OTP_AUTH'], 'The length of the code'),
  param('session_profile_id', t.string, logins, 'The session profile, empty when there is none'),
  param('endpoint_id', t.string, ['UPDATE_WEBHOOK_ENDPOINT', 'DELETE_WEBHOOK_ENDPOINT'], 'The webhook endpoint'),
];

function param(name: string, type: Namespace['type'], kinds: readonly string[], doc: string): Namespace {
  return { path: `activity.params.${name}`, field: 'condition', type, doc, kinds };
}
