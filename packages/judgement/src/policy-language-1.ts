import type { PolicySource } from '@countersign/policy';
import type { PolicyRecord } from './records.ts';

const signing = ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS'];
const exports = ['EXPORT_WALLET', 'EXPORT_WALLET_ACCOUNT', 'EXPORT_PRIVATE_KEY'];
const logins = ['OTP_LOGIN', 'STAMP_LOGIN', 'OAUTH_LOGIN'];
const endpoints = ['UPDATE_WEBHOOK_ENDPOINT', 'DELETE_WEBHOOK_ENDPOINT'];

/** The language of new policies. A record without a language uses the first one, which had few parameters. */
export const POLICY_LANGUAGE = 3;

/** The parameters of the first language, and the kinds of activity that had them. Never change these. */
const firstLanguage: Readonly<Record<string, readonly string[]>> = {
  hash_function: signing,
  encoding: signing,
  type: ['SIGN_TRANSACTION'],
  user_ids: ['DELETE_USERS'],
  user_id: ['CREATE_API_KEYS', 'DELETE_API_KEYS'],
  api_key_ids: ['DELETE_API_KEYS'],
  target_public_key: exports,
  wallet_id: ['UPDATE_WALLET'],
  otp_length: ['INIT_OTP_AUTH'],
  session_profile_id: logins,
  endpoint_id: endpoints,
};

/**
 * Converts a stored policy to the source that the engine compiles.
 * SECURITY: an ALLOW applies only to the activities that had its parameters when it was written. `activity.params.wallet_id == '…'` used to
 * allow renaming a wallet. It must not start to allow an export. A DENY applies to every activity that has its parameters.
 */
export function toPolicySource(id: string, record: Omit<PolicyRecord, 'createdAtMs' | 'updatedAtMs'>): PolicySource {
  const { effect, condition, consensus, time, language = 1 } = record;
  const source: PolicySource = { id, effect, condition, consensus, time, language };
  if (language > 1 || effect === 'EFFECT_DENY' || condition === undefined) return source;
  const named = [...condition.matchAll(/\bactivity\s*\.\s*params\s*\.\s*([a-z_]+)/g)].map(([, name]) => name as string);
  if (named.length === 0) return source;
  const kinds = named.map((name) => firstLanguage[name] ?? []).reduce((a, b) => a.filter((kind) => b.includes(kind)));
  const only = kinds.length === 0 ? 'false' : `activity.kind in [${kinds.map((kind) => `'${kind}'`).join(', ')}]`;
  return { ...source, condition: `(${condition}) && ${only}` };
}
