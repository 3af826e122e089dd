import { CountersignError } from './errors.ts';
import type { Submitted } from './types.ts';

/** The two forms in which the service answers: the specification's, and the one that `@turnkey/*` packages read. */
export type DialectName = 'spec' | 'turnkey';

interface Dialect {
  /** What stands before `/public/v1`. */
  readonly basePath: string;
  /** The activity and its result out of a submit response. */
  readSubmitted(response: unknown): Submitted;
  /** The data out of a query response. */
  readAnswer(response: unknown): Record<string, unknown>;
}

/** How to call and to read each dialect. Readers throw CountersignError for what is no answer of this service. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  spec: {
    basePath: '',
    readSubmitted(response) {
      const { result, ...record } = objectAt(response, 'activity');
      const recorded = objectAt(result, 'activity');
      const intent = onlyValue(objectAt(recorded, 'intent'));
      return { activity: { ...record, intent }, result: onlyValue(objectAt(recorded, 'result')) } as Submitted;
    },
    readAnswer: (response) => objectAt(objectAt(response, 'activity'), 'result'),
  },
  turnkey: {
    basePath: '/compat/turnkey',
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
 * Intents and results are objects with one key, named after the operation; a result without any is not there yet.
 * The name is not looked at: an approval is answered with the activity that it approved.
 */
const onlyValue = (named: Record<string, unknown>): unknown => Object.values(named)[0];

function objectAt(value: unknown, key: string): Record<string, unknown> {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  if (typeof found === 'object' && found !== null) return found as Record<string, unknown>;
  const message = `The answer has no ${key} where one must be. Does the address point at this service?`;
  throw new CountersignError(200, 'RESPONSE_INVALID', message);
}
