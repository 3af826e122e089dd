import type { DialectName } from '@countersign/contract';
import { CountersignError } from './errors.ts';
import type { Submitted } from './types.ts';

/** How to read the responses of one dialect. */
interface Reader {
  /** The activity and its result from a submit response. */
  readSubmitted(response: unknown): Submitted;
  /** The data from a query response. */
  readAnswer(response: unknown): Record<string, unknown>;
}

/** How to read each dialect. Readers throw CountersignError for a response that is not from this service. */
export const readers: Readonly<Record<DialectName, Reader>> = {
  spec: {
    readSubmitted(response) {
      const { result, ...record } = objectAt(response, 'activity');
      const recorded = objectAt(result, 'activity');
      const intent = onlyValue(objectAt(recorded, 'intent'));
      return { activity: { ...record, intent }, result: onlyValue(objectAt(recorded, 'result')) } as Submitted;
    },
    readAnswer: (response) => objectAt(objectAt(response, 'activity'), 'result'),
  },
  turnkey: {
    readSubmitted(response) {
      const activity = objectAt(response, 'activity');
      const { intent: _, result: __, ...record } = activity;
      const intent = onlyValue(objectAt(activity, 'intent'));
      return { activity: { ...record, intent }, result: onlyValue(objectAt(activity, 'result')) } as Submitted;
    },
    readAnswer: (response) => response as Record<string, unknown>,
  },
};

/**
 * Intents and results are objects with one key, named after the operation. A result without a key does not exist yet.
 * This ignores the name: the response to an approval contains the approved activity.
 */
const onlyValue = (named: Record<string, unknown>): unknown => Object.values(named)[0];

function objectAt(value: unknown, key: string): Record<string, unknown> {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  if (typeof found === 'object' && found !== null) return found as Record<string, unknown>;
  const message = `The response lacks ${key}. Does the address point at a Countersign service?`;
  throw new CountersignError(200, 'RESPONSE_INVALID', message);
}
