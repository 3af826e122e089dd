import type { OperationCost } from '../measure-operation.ts';
import type { Walked } from './requests.ts';

/** What every activity stores, however short it is: its row, its leaf of the log, nodes of the head map, a record and its index. */
const FIXED_BYTES = 12_000;

/** Bytes stored for each byte of a request, after the fixed cost of an activity. */
export function storedPerByte({ storedBytes, requestBytes }: OperationCost): number {
  return Math.max(0, storedBytes - FIXED_BYTES) / requestBytes;
}

/** Operations whose sample request is refused, and why. */
export const expectedRefusals: ReadonlyMap<string, string> = new Map([
  ['deletePaymentMethod', 'the service stores no payment methods to delete'],
]);

/** Requests that may store more than 20 bytes per byte, and why. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['approveActivity', 'executes an activity whose request was larger'],
  ['signRawPayload, 20 webhook endpoints', 'one reference of 190 bytes for each endpoint, and one body'],
  ['createPrivateKeyTag, 100 keys', 'an id in the request changes the record of a key, which lists its tags'],
  ['createUserTag, 90 users with 10 API keys', 'an id in the request changes the record of a user, which lists its tags'],
  ['deletePrivateKeys, 100', 'an id in the request leaves a tombstone and an entry of the log'],
]);

export function mayStoreMore({ operation, form }: Pick<Walked, 'operation' | 'form'>): boolean {
  return exceptions.has(operation) || exceptions.has(`${operation}, ${form}`);
}
