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

/** The parameters of an activity, as a caller gives them. */
export type ParametersOf<A extends ActivityDefinition> = z.input<A['params']>;

/** What an activity resolved to do, as the record keeps it. */
export type IntentOf<A extends ActivityDefinition> = z.output<A['intent']>;

export type ResultOf<A extends ActivityDefinition> = z.output<A['result']>;

/** The fields of a query. The organization is the client's own unless another is named. */
export type InputOf<Q extends QueryDefinition> = Omit<z.input<Q['input']>, 'organizationId'> & { organizationId?: string };

export type OutputOf<Q extends QueryDefinition> = z.output<Q['output']>;

/** The record of an activity as a submit returns it. A dialect may add fields of its own. */
export interface SubmittedActivity<Intent = unknown> {
  readonly id: string;
  readonly organizationId: string;
  readonly status: ActivityStatus;
  readonly type: string;
  /** What the activity is to do. */
  readonly intent: Intent;
}

/** An activity and, once it is complete, its result. Without one, look at `activity.status`: it may wait for approvals. */
export interface Submitted<Intent = unknown, Result = unknown> {
  readonly activity: SubmittedActivity<Intent>;
  readonly result: Result | undefined;
}

export interface SubmitOptions extends SendOptions {
  /** Act in this organization instead of the client's own. */
  readonly organizationId?: string;
  /** Milliseconds since the epoch; now, where it is not given. Two bodies with the same time are one activity. */
  readonly timestampMs?: number;
}

/** The specification shows the resolved intent, the other dialect the parameters as they were sent. */
type ShownIntent<A extends ActivityDefinition, Dialect> = Dialect extends 'spec' ? IntentOf<A> : ParametersOf<A>;

type SubmitMethod<A extends ActivityDefinition, Dialect> = (
  parameters: ParametersOf<A>,
  options?: SubmitOptions,
) => Promise<Submitted<ShownIntent<A, Dialect>, ResultOf<A>>>;

// biome-ignore lint/complexity/noBannedTypes: `{}` asks whether every field may be left out
type QueryArguments<Input> = {} extends Input ? [input?: Input, options?: SendOptions] : [input: Input, options?: SendOptions];

type QueryMethod<Q extends QueryDefinition> = (...args: QueryArguments<InputOf<Q>>) => Promise<OutputOf<Q>>;

/** One method per activity and query of the contract. The contract's types are the client's: nothing is generated. */
export type Client<Dialect extends DialectName = 'spec'> = {
  readonly [K in keyof Activities]: SubmitMethod<Activities[K], Dialect>;
} & {
  readonly [K in keyof Queries]: QueryMethod<Queries[K]>;
} & {
  readonly organizationId: string;
  /** Stamps and posts anything. A string is sent as it is; anything else as JSON. Returns the answer as it came. */
  request(path: string, body: string | object, options?: SendOptions): Promise<unknown>;
};
