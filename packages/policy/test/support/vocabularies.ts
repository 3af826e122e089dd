import type { Vocabularies } from '../../src/check/options.ts';

/** Words for the tests: the part of the service's tables that the corpus uses. */
export const vocabularies: Vocabularies = {
  'activity.type': [
    'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2',
    'ACTIVITY_TYPE_DELETE_USERS',
    'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
  ],
  'activity.kind': ['CREATE_WALLET', 'DELETE_USERS', 'SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS', 'SIGN_TRANSACTION'],
  'activity.resource': ['AUTH', 'ORGANIZATION', 'OTP', 'POLICY', 'PRIVATE_KEY', 'USER', 'WALLET'],
  'activity.action': ['CREATE', 'UPDATE', 'DELETE', 'SIGN', 'EXPORT', 'IMPORT', 'VERIFY'],
};
