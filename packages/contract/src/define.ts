import type { z } from 'zod';

/** The subjects that operations are grouped by, in folders, docs and `--help`. */
export type Subject =
  | 'organizations'
  | 'users'
  | 'credentials'
  | 'wallets'
  | 'keys'
  | 'signing'
  | 'policies'
  | 'consensus'
  | 'sign-in'
  | 'transfer'
  | 'webhooks'
  | 'activities';

/** What a policy can name about an activity. */
export interface PolicyTarget {
  readonly resource: string;
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE' | 'SIGN' | 'EXPORT' | 'IMPORT' | 'VERIFY';
}

/** One version of an activity type: its own parameters and a pure way to the current ones. */
export interface ActivityVersion {
  readonly type: string;
  readonly params: z.ZodType;
  /** What the specification's path takes, where that is less: its enumerations know fewer values. */
  readonly specParams: z.ZodType;
  /** Current parameters from those of this version. */
  readonly upgrade: (params: never) => unknown;
  /** This version's result from the current one, for the compatible dialect. */
  readonly result: (result: never) => unknown;
  /** The key of the result in the compatible dialect. */
  readonly resultKey: string;
}

export interface ActivityDefinition<
  Name extends string = string,
  Params extends z.ZodType = z.ZodType,
  Intent extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
> {
  readonly kind: 'activity';
  readonly name: Name;
  readonly path: string;
  readonly subject: Subject;
  readonly summary: string;
  readonly policy: PolicyTarget;
  /** The current type: the one that the specification gives, or the newest it lists. */
  readonly type: string;
  /** Only the root quorum may do it: policies have no say and cannot name it. */
  readonly rootQuorumOnly: boolean;
  /** A user of the parent may do it in a sub-organization; the parent's policies then judge it. */
  readonly parentMayAct: boolean;
  /** The parent's id may stand for the one sub-organization that knows the stamp's credential: whoever signs in need not know its id. */
  readonly parentIdSuffices: boolean;
  /**
   * Fields of the result, all of them text, that only the answer to the very request shows; they are kept nowhere. Such an activity is
   * carried out at once or not at all: after the approval of others there would be nobody to show them to.
   */
  readonly submitterOnly: readonly string[];
  /** True where the specification describes the endpoint in full: its path then takes the current type alone. */
  readonly specified: boolean;
  readonly params: Params;
  /** The intent as the specification shows it. */
  readonly intent: Intent;
  readonly result: Result;
  /** All versions, oldest first; the current one is among them, and is the last but for those newer than the specification. */
  readonly versions: readonly ActivityVersion[];
}

export interface QueryDefinition<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  readonly kind: 'query';
  readonly name: Name;
  readonly path: string;
  readonly subject: Subject;
  readonly summary: string;
  /** As for activities. */
  readonly parentIdSuffices?: boolean;
  readonly input: Input;
  /** The data keys: at the top level in the compatible dialect, under `activity.result` in the specification's. */
  readonly output: Output;
}

interface ActivityOptions<Name extends string, Params extends z.ZodType, Intent extends z.ZodType, Result extends z.ZodType> {
  readonly name: Name;
  readonly path: string;
  readonly subject: Subject;
  readonly summary: string;
  readonly policy: PolicyTarget;
  readonly type: string;
  readonly specified?: boolean;
  readonly rootQuorumOnly?: boolean;
  readonly parentMayAct?: boolean;
  readonly parentIdSuffices?: boolean;
  readonly submitterOnly?: readonly (string & keyof z.output<Result>)[];
  readonly params: Params;
  /** The parameters on the specification's path, where it knows fewer values than the compatible one. */
  readonly specParams?: z.ZodType;
  readonly intent: Intent;
  readonly result: Result;
  /** The key of the current result in the compatible dialect, where it is not `<name>Result`. */
  readonly resultKey?: string;
  readonly previous?: readonly OtherVersion<z.output<Params>, z.output<Result>>[];
  /** Versions that the specification does not list because they are newer. Only the compatible base path takes them. */
  readonly later?: readonly OtherVersion<z.output<Params>, z.output<Result>>[];
}

interface OtherVersion<Params, Result> {
  readonly type: string;
  readonly params: z.ZodType;
  readonly upgrade: (params: never) => Params;
  readonly result?: (result: Result) => unknown;
  readonly resultKey?: string;
}

interface OtherVersionOptions<Other extends z.ZodType, Params, Result> {
  readonly type: string;
  readonly params: Other;
  readonly upgrade: (params: z.output<Other>) => Params;
  readonly result?: (result: Result) => unknown;
  readonly resultKey?: string;
}

/** An older version of an activity type. A function rather than a literal, so that `upgrade` is typed by the version's own schema. */
export function previous<Old extends z.ZodType, Params, Result>(
  version: OtherVersionOptions<Old, Params, Result>,
): OtherVersion<Params, Result> {
  return version as unknown as OtherVersion<Params, Result>;
}

/** A version newer than the specification, for `later`; its `upgrade` leads back to the current parameters. */
export function later<New extends z.ZodType, Params, Result>(
  version: OtherVersionOptions<New, Params, Result>,
): OtherVersion<Params, Result> {
  return version as unknown as OtherVersion<Params, Result>;
}

const unchanged = (value: never): unknown => value;

/** One activity: the single place that its path, types, parameters, intent, result and policy vocabulary are written down. */
export function defineActivity<Name extends string, Params extends z.ZodType, Intent extends z.ZodType, Result extends z.ZodType>(
  options: ActivityOptions<Name, Params, Intent, Result>,
): ActivityDefinition<Name, Params, Intent, Result> {
  const {
    previous: older = [],
    later: newer = [],
    resultKey = `${options.name}Result`,
    specified = false,
    rootQuorumOnly = false,
    parentMayAct = false,
    parentIdSuffices = false,
    submitterOnly = [],
    specParams = options.params,
    ...rest
  } = options;
  const current: ActivityVersion = {
    type: options.type,
    params: options.params,
    specParams,
    upgrade: unchanged,
    result: unchanged,
    resultKey,
  };
  const toVersion = (other: OtherVersion<z.output<Params>, z.output<Result>>): ActivityVersion => ({
    type: other.type,
    params: other.params,
    specParams: other.params,
    upgrade: other.upgrade as ActivityVersion['upgrade'],
    result: (other.result ?? unchanged) as ActivityVersion['result'],
    resultKey: other.resultKey ?? `${options.name}Result`,
  });
  return Object.freeze({
    kind: 'activity',
    ...rest,
    specified,
    rootQuorumOnly,
    parentMayAct,
    parentIdSuffices,
    submitterOnly,
    versions: Object.freeze([...older.map(toVersion), current, ...newer.map(toVersion)]),
  });
}

/** One query: path, input, output. */
export function defineQuery<Name extends string, Input extends z.ZodType, Output extends z.ZodType>(
  options: Omit<QueryDefinition<Name, Input, Output>, 'kind'>,
): QueryDefinition<Name, Input, Output> {
  return Object.freeze({ kind: 'query', ...options });
}

/** `V2` of `ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2`; empty for a first version. */
export function versionSuffix(type: string): string {
  return /_(V\d+)$/.exec(type)?.[1] ?? '';
}

/** The key under which the compatible dialect shows the intent of a type, for example `signRawPayloadIntentV2`. */
export function intentKey(name: string, type: string): string {
  return `${name}Intent${versionSuffix(type)}`;
}
