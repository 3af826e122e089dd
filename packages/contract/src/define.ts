import type { z } from 'zod';
import { secretFields } from './secrets.ts';

type VoteSelection = 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED';

/** The subjects that operations are grouped by, in folders, docs and `--help`. */
export type Subject =
  | 'organizations'
  | 'users'
  | 'credentials'
  | 'wallets'
  | 'keys'
  | 'chains'
  | 'signing'
  | 'policies'
  | 'address-book'
  | 'consensus'
  | 'sign-in'
  | 'transfer'
  | 'secrets'
  | 'webhooks'
  | 'activities';

/** What policies know an activity by. */
export interface PolicyTarget {
  readonly resource: string;
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE' | 'SIGN' | 'EXPORT' | 'IMPORT' | 'VERIFY';
}

/**
 * What the specification says about an activity: it describes the whole endpoint, it lists the type names only, or it has neither.
 * `specVersions` derives from this which versions the specification's path takes.
 */
export type SpecCoverage = 'endpoint' | 'types' | 'none';

/** Checks a value against a schema and returns the parsed value, or throws. */
export type Check = <S extends z.ZodType>(schema: S, value: unknown) => z.output<S>;

/** How a version takes its parameters on one base path. */
export interface ParameterReader<Input = unknown> {
  readonly schema: z.ZodType;
  /** Checks parameters and upgrades them to the executor's input. */
  readonly read: (check: Check, parameters: unknown) => Input;
}

/** One version of an activity type. */
export interface ActivityVersion<Input = unknown, Result = never> {
  readonly type: string;
  readonly params: ParameterReader<Input>;
  /** The parameters on the specification's path, which knows fewer values of some enumerations. */
  readonly specParams: ParameterReader<Input>;
  /** Makes this version's result from the current one, for the compatible dialect; undefined where both are the same. */
  readonly result: ((result: Result) => unknown) | undefined;
  /** The key of the result in the compatible dialect. */
  readonly resultKey: string;
}

/** One activity with all its versions. The server adds an executor; everything else derives from this. */
export interface ActivityDefinition<
  Name extends string = string,
  Params extends z.ZodType = z.ZodType,
  Intent extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
  Input = unknown,
> {
  readonly kind: 'activity';
  readonly name: Name;
  readonly path: string;
  readonly subject: Subject;
  readonly summary: string;
  readonly policy: PolicyTarget;
  /** The current type: the newest one that the specification lists, or the first one of an activity that it does not list. */
  readonly type: string;
  readonly spec: SpecCoverage;
  /** Only the root quorum may do it. Policies have no say and cannot name it. */
  readonly rootQuorumOnly: boolean;
  /** A user of the parent may do it in a sub-organization. The parent's policies then judge it. */
  readonly parentMayAct: boolean;
  /** The parent's id may stand for the one sub-organization that knows the stamp's credential. Users who sign in may not know its id. */
  readonly parentIdSuffices: boolean;
  /** Present on a vote: approve or reject the activity with the fingerprint. */
  readonly vote?: VoteSelection;
  /**
   * The secret fields of the result, all of them text. Only the answer to the request shows them, and the database does not keep them.
   * Such an activity cannot wait for approvals: its result is only in the response to the request.
   */
  readonly submitterOnly: readonly string[];
  /** The parameters of the current version. */
  readonly params: Params;
  /** What the executor works on. Every version upgrades its parameters to this. */
  readonly input: z.ZodType<Input>;
  /** The intent as the specification shows it. */
  readonly intent: Intent;
  readonly result: Result;
  /** All versions, oldest first. */
  readonly versions: readonly ActivityVersion[];
}

/**
 * What policies know a query by, in an organization that restricts reading.
 * SECURITY: a query whose response contains several resources names all of them. Otherwise it would show what a policy withholds.
 */
export interface ReadTarget {
  /** The caller must be allowed to read each of them. */
  readonly resources: readonly [string, ...string[]];
  /** What every caller reads without a policy: the whole response, or the part that is the caller's own. Absent for nothing. */
  readonly always?: 'WHOLE' | 'OWN';
}

/** One query. The server adds a resolver; everything else derives from this. */
export interface QueryDefinition<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Reads extends ReadTarget = ReadTarget,
> {
  readonly kind: 'query';
  readonly name: Name;
  readonly path: string;
  readonly subject: Subject;
  readonly summary: string;
  readonly reads: Reads;
  /** As for activities. */
  readonly parentIdSuffices?: boolean;
  /** Whether a one-time key may stamp it. */
  readonly byOneTimeKey?: boolean;
  readonly input: Input;
  /** The data keys: at the top level in the compatible dialect, under `activity.result` in the specification's. */
  readonly output: Output;
}

/** Any operation: an activity changes or signs, a query reads. */
export type OperationDefinition = ActivityDefinition | QueryDefinition;

interface ActivityOptions<
  Name extends string,
  Params extends z.ZodType<Input>,
  Intent extends z.ZodType,
  Result extends z.ZodType,
  Input,
> {
  readonly name: Name;
  readonly path: string;
  readonly subject: Subject;
  readonly summary: string;
  readonly policy: PolicyTarget;
  readonly type: string;
  readonly spec: SpecCoverage;
  readonly rootQuorumOnly?: boolean;
  readonly parentMayAct?: boolean;
  readonly parentIdSuffices?: boolean;
  readonly vote?: VoteSelection;
  readonly params: Params;
  /** The parameters on the specification's path, if it accepts fewer values than the compatible one. */
  readonly specParams?: z.ZodType<NoInfer<Input>>;
  /** What the executor works on, where other versions bring more than the current parameters. */
  readonly input?: z.ZodType<Input>;
  readonly intent: Intent;
  readonly result: Result;
  /** The key of the current result in the compatible dialect, if it is not `<name>Result`. */
  readonly resultKey?: string;
  /** Makes the result of the current version in the compatible dialect, if it has less there. */
  readonly compatibleResult?: (result: z.output<Result>) => unknown;
  readonly otherVersions?: readonly OtherVersion<NoInfer<Input>, z.output<Result>>[];
}

interface OtherVersion<Input, Result> {
  readonly type: string;
  readonly params: ParameterReader<Input>;
  readonly result: ((result: Result) => unknown) | undefined;
  readonly resultKey: string | undefined;
}

interface VersionOptions<Params extends z.ZodType, Input, Result> {
  readonly type: string;
  readonly params: Params;
  readonly upgrade: (params: z.output<Params>) => Input;
  readonly result?: (result: Result) => unknown;
  readonly resultKey?: string;
}

/** Another version of an activity type, older or newer than the current one. `upgrade` is pure. */
export function version<Params extends z.ZodType, Input, Result>(
  options: VersionOptions<Params, Input, Result>,
): OtherVersion<Input, Result> {
  const { type, params, upgrade, result, resultKey } = options;
  return { type, params: readerOf(params, upgrade), result, resultKey };
}

function readerOf<Params extends z.ZodType, Input>(
  schema: Params,
  upgrade: (params: z.output<Params>) => Input,
): ParameterReader<Input> {
  return { schema, read: (check, parameters) => upgrade(check(schema, parameters)) };
}

/** A reader of parameters that are the executor's input as they are. */
function asInput<Input>(schema: z.ZodType<Input>): ParameterReader<Input> {
  return readerOf(schema, (params) => params);
}

/** Defines an activity: its path, types, parameters, intent, result and what policies know it by. */
export function defineActivity<
  Name extends string,
  Params extends z.ZodType<Input>,
  Intent extends z.ZodType,
  Result extends z.ZodType,
  Input = z.output<Params>,
>(options: ActivityOptions<Name, Params, Intent, Result, Input>): ActivityDefinition<Name, Params, Intent, Result, Input> {
  const { otherVersions = [], resultKey, specParams, input, compatibleResult, ...rest } = options;
  const { name, type, params, result } = options;
  const current = {
    type,
    params: asInput<Input>(params),
    specParams: asInput<Input>(specParams ?? params),
    result: compatibleResult,
    resultKey: resultKey ?? `${name}Result`,
  };
  const others = otherVersions.map((other) => ({
    ...other,
    specParams: other.params,
    resultKey: other.resultKey ?? `${name}Result`,
  }));
  const versions: readonly ActivityVersion<Input, z.output<Result>>[] = [...others, current];
  return Object.freeze({
    kind: 'activity',
    rootQuorumOnly: false,
    parentMayAct: false,
    parentIdSuffices: false,
    ...rest,
    input: input ?? params,
    submitterOnly: secretFields(result),
    versions: Object.freeze([...versions].sort((a, b) => versionNumber(a.type) - versionNumber(b.type))),
  });
}

/** Defines a query: its path, what it reads, input and output. */
export function defineQuery<
  Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  const Reads extends ReadTarget,
>(options: Omit<QueryDefinition<Name, Input, Output, Reads>, 'kind'>): QueryDefinition<Name, Input, Output, Reads> {
  return Object.freeze({ kind: 'query', ...options });
}

/** The number of a type's version: 2 for `ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2`, 1 for a type without a suffix. */
export function versionNumber(type: string): number {
  return Number(/_V(\d+)$/.exec(type)?.[1] ?? 1);
}

/** The key under which the compatible dialect shows the intent of a type, for example `signRawPayloadIntentV2`. */
export function intentKey(name: string, type: string): string {
  const number = versionNumber(type);
  return number === 1 ? `${name}Intent` : `${name}IntentV${number}`;
}
