/** Groups of activity types, for the filter. The service takes a list of types. */
export const kinds = {
  signing: ['SIGN_TRANSACTION', 'SIGN_TRANSACTION_V2', 'SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOAD_V2', 'SIGN_RAW_PAYLOADS'],
  wallets: [
    'CREATE_WALLET',
    'CREATE_WALLET_ACCOUNTS',
    'UPDATE_WALLET',
    'DELETE_WALLETS',
    'CREATE_PRIVATE_KEYS_V2',
    'DELETE_PRIVATE_KEYS',
    'DISABLE_PRIVATE_KEY',
    'EXPORT_WALLET',
    'IMPORT_WALLET',
    'EXPORT_PRIVATE_KEY',
    'IMPORT_PRIVATE_KEY',
  ],
  policies: [
    'CREATE_POLICY_V3',
    'CREATE_POLICIES',
    'UPDATE_POLICY_V2',
    'DELETE_POLICY',
    'DELETE_POLICIES',
    'CREATE_VELOCITY_CONTROL',
    'UPDATE_VELOCITY_CONTROL',
    'DELETE_VELOCITY_CONTROL',
    'RAISE_VELOCITY_CONTROL',
    'RESET_VELOCITY_CONTROL',
  ],
  people: [
    'CREATE_USERS_V3',
    'UPDATE_USER',
    'DELETE_USERS',
    'CREATE_INVITATIONS',
    'ACCEPT_INVITATION_V2',
    'CREATE_AUTHENTICATORS_V2',
    'DELETE_AUTHENTICATORS',
    'CREATE_API_KEYS_V2',
    'DELETE_API_KEYS',
    'CREATE_USER_TAG',
    'UPDATE_USER_TAG',
    'RECOVER_USER',
  ],
  signIn: ['STAMP_LOGIN', 'OTP_LOGIN', 'OAUTH_LOGIN', 'END_SESSIONS'],
  organization: [
    'UPDATE_ROOT_QUORUM',
    'SET_ORGANIZATION_FEATURE',
    'REMOVE_ORGANIZATION_FEATURE',
    'UPDATE_ORGANIZATION_NAME',
    'CREATE_SUB_ORGANIZATION_V7',
    'SET_IP_ALLOWLIST',
    'CREATE_WEBHOOK_ENDPOINT',
    'UPDATE_WEBHOOK_ENDPOINT',
    'DELETE_WEBHOOK_ENDPOINT',
    'TEST_WEBHOOK_ENDPOINT',
  ],
} as const;

export type Kind = keyof typeof kinds;

type KindType = `ACTIVITY_TYPE_${(typeof kinds)[Kind][number]}`;

export const typesOf = (kind: Kind): KindType[] => kinds[kind].map((type) => `ACTIVITY_TYPE_${type}` as const);
