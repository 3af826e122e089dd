/**
 * Whether activities of a type sign something, and so change nothing that a later decision rests on. Does not load the schemas, so that
 * pages and commands may ask. A test compares it with the table of operations.
 */
export function isSignature(type: string): boolean {
  return type.startsWith('ACTIVITY_TYPE_SIGN_') || isSending(type);
}

/** Whether activities of a type also send what they sign. */
export function isSending(type: string): boolean {
  return /^ACTIVITY_TYPE_(((ETH|SOL|TRON|BITCOIN)_SEND|ETH_REPLACE)_TRANSACTION(_V\d+)?|ETH_UNDELEGATE_?7702)$/.test(type);
}
