import { type ActivityDefinition, activities, activityByType, type Redact, redactorOf } from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activity-record.ts';

/** How much of an activity a rendering shows. Every rendering takes one, so none can forget it. */
export interface View {
  /** Parameters of any version, or the intent. */
  params: Redact;
  /** The current result, before a version gives it a form of its own. */
  result: Redact;
  /** The body that a vote stamped. */
  message(body: string): string;
}

const unchanged: View = { params: (value) => value, result: (value) => value, message: (body) => body };

/** What the answer to a submit or a vote shows. The submitter sent the secrets and sees them again. Others who vote do not. */
export function viewFor({ type, votes }: ActivityRecord, callerId: string): View {
  return votes[0]?.userId === callerId ? unchanged : publicView(type);
}

/**
 * What anybody but the submitter may see: no value that the contract marks as secret, and no stamped body that holds one.
 * SECURITY: D61: every user of an organization reads its activities. What is stored stays whole, so that votes can be checked.
 */
export function publicView(type: string): View {
  const known = activityByType.get(type);
  return (known && publicViews.get(known.definition)) ?? nothing;
}

/** For a type that this release does not know: nobody can say what of it is secret. */
const nothing: View = { params: () => ({}), result: () => ({}), message: () => '' };

const table = Object.values<ActivityDefinition>(activities);

/** One redactor for the parameters of all versions and the intent: executors keep some parameters that only one version has. */
const paramsRedactors: ReadonlyMap<ActivityDefinition, Redact | undefined> = new Map(
  table.map((definition) => {
    const { input, intent, versions } = definition;
    const params = versions.flatMap(({ params, specParams }) => [params.schema, specParams.schema]);
    return [definition, redactorOf([input, intent, ...params])];
  }),
);

/** INVARIANT: A vote stamps the body of its activity, an approval or a rejection. */
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

/** A stamped body cannot lose a part and still verify, so one that holds a secret is emptied as a whole. */
function publicMessage(body: string): string {
  if (body === '') return body;
  const { type, parameters } = JSON.parse(body) as { readonly type: string; readonly parameters: unknown };
  const known = activityByType.get(type);
  if (known === undefined) return '';
  const redact = paramsRedactors.get(known.definition);
  return redact === undefined || redact(parameters) === parameters ? body : '';
}

/** The parameters of an activity as others see them, where its stamped body holds a secret; undefined where it does not. */
export function withheldParameters({ type, votes }: Pick<ActivityRecord, 'type' | 'votes'>): unknown {
  const redact = paramsRedactors.get(activityByType.get(type)?.definition as ActivityDefinition);
  const message = votes[0]?.message;
  if (redact === undefined || message === undefined || message === '') return undefined;
  const { parameters } = JSON.parse(message) as { readonly parameters: unknown };
  const shown = redact(parameters);
  return shown === parameters ? undefined : shown;
}
