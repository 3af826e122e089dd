import { type ActivityDefinition, activities, activityByType, type Redact, redactorOf } from '@countersign/contract';
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
 * The view for users other than the submitter: no value that the contract marks as secret, and no stamped body that contains one.
 * SECURITY: D61: every user of an organization can read its activities. The stored record is not redacted, so that votes can be verified.
 */
export function publicView(type: string): View {
  const known = activityByType.get(type);
  return (known && publicViews.get(known.definition)) ?? nothing;
}

/** For types that this release does not know: any field could be a secret. */
const nothing: View = { params: () => ({}), result: () => ({}), message: () => '' };

const table = Object.values<ActivityDefinition>(activities);

/** One redactor for the intent and the parameters of all versions: executors store some parameters that only one version has. */
const paramsRedactors: ReadonlyMap<ActivityDefinition, Redact | undefined> = new Map(
  table.map((definition) => {
    const { input, intent, versions } = definition;
    const params = versions.flatMap(({ params, specParams }) => [params.schema, specParams.schema]);
    return [definition, redactorOf([input, intent, ...params])];
  }),
);

/** INVARIANT: a vote stamps the body of its activity, of an approval or of a rejection. */
const votesHoldSecrets = [activities.approveActivity, activities.rejectActivity].some((vote) => paramsRedactors.get(vote));

const publicViews: ReadonlyMap<ActivityDefinition, View> = new Map(
  table.map((definition) => {
    const params = paramsRedactors.get(definition);
    const message = params || votesHoldSecrets ? publicMessage : unchanged.message;
    return [
      definition,
      { params: params ?? unchanged.params, result: redactorOf([definition.result]) ?? unchanged.result, message },
    ];
  }),
);

/** A redacted body would not verify, so a stamped body that contains a secret is replaced by an empty text. */
function publicMessage(body: string): string {
  if (body === '') return body;
  const { type, parameters } = JSON.parse(body) as { readonly type: string; readonly parameters: unknown };
  const known = activityByType.get(type);
  if (known === undefined) return '';
  const redact = paramsRedactors.get(known.definition);
  return redact === undefined || redact(parameters) === parameters ? body : '';
}

/** The redacted parameters of an activity if its stamped body contains a secret. Undefined otherwise. */
export function withheldParameters({ type, votes }: Pick<ActivityRecord, 'type' | 'votes'>): unknown {
  const redact = paramsRedactors.get(activityByType.get(type)?.definition as ActivityDefinition);
  const message = votes[0]?.message;
  if (redact === undefined || message === undefined || message === '') return undefined;
  const { parameters } = JSON.parse(message) as { readonly parameters: unknown };
  const shown = redact(parameters);
  return shown === parameters ? undefined : shown;
}
