import type { StageTimer } from '../admission/index.ts';
import type { Submitted } from './request.ts';
import type { PipelineServices } from './services.ts';

/** Why an attempt was not committed. */
export type RetryReason =
  /** The organization changed concurrently. */
  | 'VERSION_MOVED'
  /** The same, for an activity that changes the organization itself, if only by becoming pending. */
  | 'CHANGE_CONFLICT'
  /** The activity changed concurrently: another vote was stored first. */
  | 'REVISION_MOVED'
  /** A data key or the root key was replaced concurrently. */
  | 'KEY_MOVED'
  /** A spending limit that the decision read has another value now. */
  | 'USAGE_MOVED'
  /** The nonce of its transaction was assigned to another one. */
  | 'NONCE_MOVED'
  /** The activity becomes pending, and was not checked for its approvers yet. */
  | 'NOT_CHECKED'
  /** The store holds an activity with this fingerprint. */
  | 'FINGERPRINT_EXISTS';

/** Ends the stages early with a response. */
export class Answer {
  readonly submitted: Submitted;

  constructor(submitted: Submitted) {
    this.submitted = submitted;
  }
}

/** Ends an attempt early. The retry table defines the next step. */
export class Retry {
  readonly reason: RetryReason;

  constructor(reason: RetryReason) {
    this.reason = reason;
  }
}

/** One step of the pipeline: takes the context so far and returns an extended context, or ends the attempt. */
export type Stage<In, Out> = (services: PipelineServices, context: In) => Promise<Out | Answer | Retry>;

/** A context that knows the timer of its request. */
interface Timed {
  readonly request: { readonly admitted: { readonly timer?: StageTimer | undefined } };
}

/** Measures a stage under this name if the trace of the request is recorded. */
export function timed<In extends Timed, Out>(name: string, stage: Stage<In, Out>): Stage<In, Out> {
  return (services, context) => {
    const { timer } = context.request.admitted;
    return timer === undefined ? stage(services, context) : timer.run(name, () => stage(services, context));
  };
}

/** Runs stages in sequence. A stage that needs more than the previous stages provide does not compile. */
export function stages<A, B, C>(a: Stage<A, B>, b: Stage<B, C>): Stage<A, C>;
export function stages<A, B, C, D>(a: Stage<A, B>, b: Stage<B, C>, c: Stage<C, D>): Stage<A, D>;
export function stages<A, B, C, D, E>(a: Stage<A, B>, b: Stage<B, C>, c: Stage<C, D>, d: Stage<D, E>): Stage<A, E>;
export function stages<A, B, C, D, E, F>(
  a: Stage<A, B>,
  b: Stage<B, C>,
  c: Stage<C, D>,
  d: Stage<D, E>,
  e: Stage<E, F>,
): Stage<A, F>;
export function stages(...list: readonly Stage<never, unknown>[]): Stage<never, unknown> {
  return async (services, context) => {
    let current: unknown = context;
    for (const stage of list) {
      current = await stage(services, current as never);
      if (current instanceof Answer || current instanceof Retry) break;
    }
    return current;
  };
}
