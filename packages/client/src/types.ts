import type {
  Activities,
  ActivityDefinition,
  ActivityStatus,
  DialectName,
  Queries,
  QueryDefinition,
} from '@countersign/contract';
import type { z } from 'zod';
import type { SendOptions } from './transport.ts';

/** Parameters of an activity, as a caller passes them. */
export type ParametersOf<A extends ActivityDefinition> = z.input<A['params']>;

/** What an activity will do, as its record states it. */
export type IntentOf<A extends ActivityDefinition> = z.output<A['intent']>;

export type ResultOf<A extends ActivityDefinition> = z.output<A['result']>;

/** The fields of a query. The organization defaults to the client's own. */
export type InputOf<Q extends QueryDefinition> = Omit<z.input<Q['input']>, 'organizationId'> & { organizationId?: string };

export type OutputOf<Q extends QueryDefinition> = z.output<Q['output']>;

/** The activity record that a submit returns. A dialect may add its own fields. */
export interface SubmittedActivity<Intent = unknown> {
  readonly id: string;
  readonly organizationId: string;
  readonly status: ActivityStatus;
  readonly type: string;
  /** What the activity will do. */
  readonly intent: Intent;
}

/** An activity and, once completed, its result. Without a result, see `activity.status`: it may be pending. */
export interface Submitted<Intent = unknown, Result = unknown> {
  readonly activity: SubmittedActivity<Intent>;
  readonly result: Result | undefined;
}

export interface SubmitOptions extends SendOptions {
  /** Act in this organization instead of the client's own. */
  readonly organizationId?: string;
  /** Milliseconds since the epoch, now by default. Two equal bodies with the same time are one activity. */
  readonly timestampMs?: number;
  /** Your own words about the request, such as an invoice number: stamped, and shown to approvers. At most 140 characters on one line. */
  readonly reference?: string;
}

/** The specification shows the resolved intent; the other dialect shows the parameters as sent. */
type ShownIntent<A extends ActivityDefinition, Dialect> = Dialect extends 'spec' ? IntentOf<A> : ParametersOf<A>;

type SubmitMethod<A extends ActivityDefinition, Dialect> = (
  parameters: ParametersOf<A>,
  options?: SubmitOptions,
) => Promise<Submitted<ShownIntent<A, Dialect>, ResultOf<A>>>;

// biome-ignore lint/complexity/noBannedTypes: `{}` tests whether every field is optional
type QueryArguments<Input> = {} extends Input ? [input?: Input, options?: SendOptions] : [input: Input, options?: SendOptions];

type QueryMethod<Q extends QueryDefinition> = (...args: QueryArguments<InputOf<Q>>) => Promise<OutputOf<Q>>;

/** One method per activity and query of the contract. The types come from the contract, without code generation. */
export type Client<Dialect extends DialectName = 'spec'> = {
  readonly [K in keyof Activities]: SubmitMethod<Activities[K], Dialect>;
} & {
  readonly [K in keyof Queries]: QueryMethod<Queries[K]>;
} & {
  readonly organizationId: string;
  /** Stamps and posts any body. Sends a string unchanged, other values as JSON. Returns the response unchanged. */
  request(path: string, body: string | object, options?: SendOptions): Promise<unknown>;
};
