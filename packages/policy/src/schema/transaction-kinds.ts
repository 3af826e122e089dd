/** The kinds of activity that sign a transaction: those that only sign, and those that also send. */
export const transactionKinds: ReadonlySet<string> = new Set([
  'SIGN_TRANSACTION',
  'ETH_SEND_TRANSACTION',
  'ETH_REPLACE_TRANSACTION',
  'ETH_UNDELEGATE_7702',
  'SOL_SEND_TRANSACTION',
  'TRON_SEND_TRANSACTION',
  'BITCOIN_SEND_TRANSACTION',
]);
