import type { activityType } from '@countersign/contract';
import type { z } from 'zod';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { QueryContext } from '../../pipeline/query.ts';

const onWallets = ['ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_TYPE_IMPORT_WALLET', 'ACTIVITY_TYPE_EXPORT_WALLET'] as const;

const onUsers = [
  // The first organization has its first user from its creation.
  'ACTIVITY_TYPE_CREATE_ORGANIZATION_V2',
  'ACTIVITY_TYPE_CREATE_USERS',
  'ACTIVITY_TYPE_CREATE_USERS_V2',
  'ACTIVITY_TYPE_CREATE_USERS_V3',
  'ACTIVITY_TYPE_CREATE_USERS_V4',
  'ACTIVITY_TYPE_CREATE_API_ONLY_USERS',
  'ACTIVITY_TYPE_CREATE_INVITATIONS',
] as const;

/** The activities that write a kind of record. */
const writers = {
  user: [
    ...onUsers,
    'ACTIVITY_TYPE_UPDATE_USER',
    'ACTIVITY_TYPE_UPDATE_USER_NAME',
    'ACTIVITY_TYPE_UPDATE_USER_EMAIL',
    'ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER',
    'ACTIVITY_TYPE_CREATE_USER_TAG',
    'ACTIVITY_TYPE_UPDATE_USER_TAG',
    'ACTIVITY_TYPE_DELETE_USER_TAGS',
  ],
  apiKey: [
    ...onUsers,
    'ACTIVITY_TYPE_CREATE_API_KEYS',
    'ACTIVITY_TYPE_CREATE_API_KEYS_V2',
    'ACTIVITY_TYPE_CREATE_RPC_KEYS',
    'ACTIVITY_TYPE_CREATE_SETUP_KEY',
    'ACTIVITY_TYPE_EXCHANGE_ONE_TIME_KEY',
    'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION',
    'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2',
    'ACTIVITY_TYPE_STAMP_LOGIN',
    'ACTIVITY_TYPE_OAUTH_LOGIN',
    'ACTIVITY_TYPE_OTP_LOGIN',
    'ACTIVITY_TYPE_OTP_LOGIN_V2',
  ],
  authenticator: [
    ...onUsers,
    'ACTIVITY_TYPE_CREATE_AUTHENTICATORS',
    'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2',
    'ACTIVITY_TYPE_ACCEPT_INVITATION',
    'ACTIVITY_TYPE_ACCEPT_INVITATION_V2',
    'ACTIVITY_TYPE_RECOVER_USER',
  ],
  contact: ['ACTIVITY_TYPE_CREATE_CONTACTS', 'ACTIVITY_TYPE_UPDATE_CONTACT'],
  token: ['ACTIVITY_TYPE_CREATE_TOKENS'],
  smartContractInterface: ['ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE'],
  wallet: [...onWallets, 'ACTIVITY_TYPE_UPDATE_WALLET', 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT'],
  walletAccount: [...onWallets, 'ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS', 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT'],
  privateKey: [
    'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
    'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS',
    'ACTIVITY_TYPE_IMPORT_PRIVATE_KEY',
    'ACTIVITY_TYPE_EXPORT_PRIVATE_KEY',
    'ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG',
    'ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG',
    'ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS',
    'ACTIVITY_TYPE_DISABLE_PRIVATE_KEY',
  ],
} as const satisfies Readonly<Record<string, readonly z.output<typeof activityType>[]>>;

/** A record, and when it last changed. */
export interface WrittenRecord {
  readonly kind: keyof typeof writers;
  readonly id: string;
  readonly updatedAtMs: number;
}

/** The clocks of a record and of its activity are read in the same step. */
const TOLERANCE_MS = 2_000;
/** Activities that one search reads. One that waited long for approvals is older than the record that it wrote. */
const MAX_READ = 150;
/** Activities that the searches of one query read. A record that is not found has no proof, and clients search it themselves. */
const MAX_READ_IN_ALL = 2_000;
/** The activity is nearly always among so many. */
const FIRST_READ = 10;

type Search = (written: WrittenRecord) => Promise<ActivityRecord | undefined>;

/**
 * Finds the activity that wrote a record as it is. Undefined if it is not among those shortly before the change.
 * SECURITY: D1041: all searches of a query share a number of activities. A payment can have hundreds of receivers with names.
 */
export function searchWriters(context: Pick<QueryContext, 'activities' | 'organization' | 'endSlice'>): Search {
  const { activities, organization, endSlice } = context;
  let left = MAX_READ_IN_ALL;

  return async function writerOf({ kind, id, updatedAtMs }) {
    const filter = { types: writers[kind], statuses: ['ACTIVITY_STATUS_COMPLETED'] as const };
    const isWriter = ({ changed }: ActivityRecord) =>
      changed?.changes.some((change) => 'put' in change && change.put === kind && change.id === id) === true;
    let after = lastIdAt(updatedAtMs + TOLERANCE_MS);
    for (const most of [FIRST_READ, MAX_READ - FIRST_READ]) {
      const limit = Math.min(most, left);
      if (limit === 0) return undefined;
      for await (const part of activities.pageParts(organization.id, filter, { limit, after }, endSlice)) {
        left -= part.length;
        const found = part.find(isWriter);
        if (found !== undefined) return found;
        after = part.at(-1)?.id ?? after;
      }
    }
    return undefined;
  };
}

/** The greatest UUIDv7 of a time. Cursors are compared as ids, so that it need not exist. */
function lastIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7fff-bfff-ffffffffffff`;
}
