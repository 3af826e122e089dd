/** The activities that sign transactions. */
export const signing = [
  'ACTIVITY_TYPE_SIGN_TRANSACTION',
  'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
  'ACTIVITY_TYPE_ETH_SEND_TRANSACTION',
  'ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2',
  'ACTIVITY_TYPE_SOL_SEND_TRANSACTION',
  'ACTIVITY_TYPE_SOL_SEND_TRANSACTION_V2',
  'ACTIVITY_TYPE_TRON_SEND_TRANSACTION',
  'ACTIVITY_TYPE_BITCOIN_SEND_TRANSACTION',
] as const;

/** Number of the newest signed transactions that requests are compared with. */
export const PAST = 100;
