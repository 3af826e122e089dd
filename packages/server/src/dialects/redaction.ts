import {
  type ActivityDefinition,
  activities,
  activityByType,
  hasMask,
  maskUrlsIn,
  type Redact,
  redactorOf,
  responseRedactorOf,
} from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';

/** Redacts an activity for a reader. Every rendering requires a view, so none can forget redaction. */
export interface View {
  /** Parameters of any version, or the intent. */
  params: Redact;
  /** The result in its current format, before the conversion to the format of a version. */
  result: Redact;
  /** The body that a vote stamped. */
  message(body: string): string;
}

const unchanged: View = { params: (value) => value, result: (value) => value, message: (body) => body };

/** The view for the response to a submit or a vote. Submitters see the secrets that they sent; other voters do not. */
export function viewFor({ type, votes }: ActivityRecord, callerId: string): View {
  return votes[0]?.userId === callerId ? unchanged : publicView(type);
}

/**
 * The view for users other than the submitter: no value that the contract marks as secret, no token of a URL, and no stamped body that
 * contains one.
 * SECURITY: D61, D332: every user of an organization can read its activities. The stored record is not redacted, so that votes can be
 * verified.
 */
export function publicView(type: string): View {
  const known = activityByType.get(type);
  return known === undefined ? nothing : publicViewOf(known.definition);
}

/** The view for audit files and for the stored inputs of decisions, which need the whole URLs that policies saw. */
export function auditView(type: string): View {
  const known = activityByType.get(type);
  return known === undefined ? nothing : auditViewOf(known.definition);
}

/** Whether responses mask parameters of this type that policies see. */
export function hasMaskedParameters(type: string): boolean {
  const known = activityByType.get(type);
  return known !== undefined && isMasked(known.definition);
}

/** Masks an explanation of an activity: the URLs in it, and what else responses mask in its parameters. */
export function maskExplanation<T>({ type, votes }: Pick<ActivityRecord, 'type' | 'votes'>, explanation: T): T {
  if (!hasMaskedParameters(type)) return explanation;
  const pairs = maskedTexts(type, votes[0]?.message ?? '');
  const mask = (_: string, value: unknown) =>
    typeof value === 'string' ? pairs.reduce((text, [whole, part]) => text.replaceAll(whole, part), maskUrlsIn(value)) : value;
  return JSON.parse(JSON.stringify(explanation), mask) as T;
}

/** The parameters at the top level that are masked, as submitted and in the lower case that policies see, with their masks. */
function maskedTexts(type: string, body: string): readonly (readonly [string, string])[] {
  if (body === '') return [];
  const { parameters } = JSON.parse(body) as { readonly parameters: Readonly<Record<string, unknown>> };
  const shown = publicView(type).params(parameters) as Readonly<Record<string, unknown>>;
  return Object.entries(parameters).flatMap(([name, whole]) => {
    const part = shown[name];
    if (typeof whole !== 'string' || typeof part !== 'string' || whole === '' || whole === part) return [];
    return [
      [whole, part],
      [whole.toLowerCase(), part.toLowerCase()],
    ] as const;
  });
}

/** For types that this release does not know: any field could be a secret. */
const nothing: View = { params: () => ({}), result: () => ({}), message: () => '' };

/** Makes a value for an activity once, when it is first needed: deriving all of them takes a noticeable part of a start. */
function onceFor<T>(make: (definition: ActivityDefinition) => T): (definition: ActivityDefinition) => T {
  const made = new Map<ActivityDefinition, T>();
  return (definition) => {
    if (!made.has(definition)) made.set(definition, make(definition));
    return made.get(definition) as T;
  };
}

type RedactorFor = (definition: ActivityDefinition) => Redact | undefined;

/** One redactor for the intent and the parameters of all versions: executors store some parameters that only one version has. */
function redactorsBy(make: typeof redactorOf): RedactorFor {
  return onceFor(({ input, intent, versions }) => {
    const params = versions.flatMap(({ params, specParams }) => [params.schema, specParams.schema]);
    return make([input, intent, ...params]);
  });
}

const paramsRedactor = redactorsBy(redactorOf);
const responseRedactor = redactorsBy(responseRedactorOf);
const isMasked = onceFor(({ input }) => hasMask(input));

/** INVARIANT: a vote stamps the body of its activity, of an approval or of a rejection. */
const votesHoldSecrets = () =>
  [activities.approveActivity, activities.rejectActivity].some((vote) => responseRedactor(vote) !== undefined);

const publicViewOf = viewsBy(responseRedactor, responseRedactorOf);
const auditViewOf = viewsBy(paramsRedactor, redactorOf);

function viewsBy(redactorFor: RedactorFor, make: typeof redactorOf): (definition: ActivityDefinition) => View {
  const redactedMessage = (body: string) => redactMessage(redactorFor, body);
  return onceFor((definition) => {
    const params = redactorFor(definition);
    const message = params || votesHoldSecrets() ? redactedMessage : unchanged.message;
    return { params: params ?? unchanged.params, result: make([definition.result]) ?? unchanged.result, message };
  });
}

/** A redacted body would not verify, so a stamped body that contains a secret is replaced by an empty text. */
function redactMessage(redactorFor: RedactorFor, body: string): string {
  if (body === '') return body;
  const { type, parameters } = JSON.parse(body) as { readonly type: string; readonly parameters: unknown };
  const known = activityByType.get(type);
  if (known === undefined) return '';
  const redact = redactorFor(known.definition);
  return redact === undefined || redact(parameters) === parameters ? body : '';
}

/** The redacted parameters of an activity if its stamped body contains a secret. Undefined otherwise. */
export function withheldParameters({ type, votes }: Pick<ActivityRecord, 'type' | 'votes'>): unknown {
  const known = activityByType.get(type);
  const redact = known && paramsRedactor(known.definition);
  const message = votes[0]?.message;
  if (redact === undefined || message === undefined || message === '') return undefined;
  const { parameters } = JSON.parse(message) as { readonly parameters: unknown };
  const shown = redact(parameters);
  return shown === parameters ? undefined : shown;
}
