import type { OperationCost } from '../measure-operation.ts';
import type { Walked } from './requests.ts';

/** What every activity stores, however short it is: its row, its leaf of the log, nodes of the head map, a record and its index. */
const FIXED_BYTES = 16_000;

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
  ['createPrivateKeyTag', 'stores each of its keys again, and names each in the comparison: 22 bytes per byte with 100 keys'],
  [
    'signTransaction, PSBT of 50 outputs, 10 limits by destination',
    'each limit counts each destination: at most 500 counters of about 600 bytes for one request',
  ],
]);

export function mayStoreMore({ operation, form }: Pick<Walked, 'operation' | 'form'>): boolean {
  return exceptions.has(operation) || exceptions.has(`${operation}, ${form}`);
}
