/**
 * Whether activities of a type sign something, and so change nothing that a later decision rests on. Does not load the schemas, so that
 * pages and commands may ask. A test compares it with the table of operations.
 */
export function isSignature(type: string): boolean {
  return type.startsWith('ACTIVITY_TYPE_SIGN_');
}
