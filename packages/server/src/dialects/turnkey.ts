import {
  activityByType,
  dialects,
  type ErrorSpec,
  errorCodes,
  intentKey,
  notOffered,
  type ServiceError,
} from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import { withoutNulls } from '../wire/read-parameters.ts';
import { errorDetails, type Keyed, showDetails } from './details.ts';
import { defaultReader } from './details-reader.ts';
import type { Dialect } from './dialect.ts';
import { publicView, type View, viewFor } from './redaction.ts';

/** The formats that existing client packages read. Every version of an activity is accepted, and returned in the format of that version. */
export const turnkey: Dialect = {
  ...dialects.turnkey,
  notOffered,
  showBeyondSpec: true,

  showSubmitted(record, organization, callerId) {
    const view = viewFor(record, callerId);
    return { activity: showDetails(record, organization, callerId, keyed(record, view), view, true) };
  },

  showActivity(record, organization, callerId, reader = defaultReader(organization, record)) {
    const view = publicView(record.type);
    return showDetails(record, organization, callerId, keyed(record, view), view, true, reader);
  },

  showQueried: (data) => data,

  showAttestedLogin: ({ activityId: id, session, ...rest }) => ({
    activity: {
      id,
      ...rest,
      type: 'ACTIVITY_TYPE_STAMP_LOGIN',
      status: 'ACTIVITY_STATUS_COMPLETED',
      result: { stampLoginResult: { session } },
    },
  }),

  showError(error) {
    const { status, grpc, turnkey: turnkeyErrorCode, turnkeyStatus = status }: ErrorSpec = errorCodes[error.code];
    const detail = { '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail', turnkeyErrorCode };
    const details = [...denialDetails(error), ...errorDetails(error), detail];
    // Clients compare the text of such a denial together with its details, of which there are none.
    const shown = isExplicit(error) ? { details: [], denial: details } : { details };
    return { status: turnkeyStatus, body: { code: grpc, message: messageOf(error), ...shown, turnkeyErrorCode } };
  },
};

/** The text of a denial because no policy allows a request. Clients compare it as a whole, so the reasons are in the details. */
const DENIED =
  "You don't have sufficient permissions to take this action. Please add a policy granting this user permissions. Learn more at https://docs.turnkey.com/concepts/policies/quickstart.";

/** The text of a denial because a policy denies a request. */
const DENIED_EXPLICITLY = 'policy engine denied request explicitly';

function isExplicit({ denial }: ServiceError): boolean {
  return denial?.deniedBy !== undefined;
}

/** Adds the phrases that published clients look for in an error message. */
function messageOf(error: ServiceError): string {
  const { code, message, denial, organizationId } = error;
  if (code === 'API_KEY_EXPIRED') return `Unauthenticated desc = expired api key publicKey: ${message}`;
  // SECURITY: an unknown organization and an unknown key get the same message, so it contains the phrases for both.
  if (code === 'PUBLIC_KEY_NOT_FOUND')
    return `${message} Or there is no organization found with the given ID${organizationId === undefined ? '' : `: ${organizationId}`}.`;
  if (isExplicit(error)) return DENIED_EXPLICITLY;
  return denial === undefined ? message : DENIED;
}

/** The error details that identify a denial by policies: the outcome of each policy, and the reason in words. */
function denialDetails({ denial, message: reason }: ServiceError): unknown[] {
  if (denial === undefined) return [];
  const { deniedBy, evaluations } = denial;
  const message =
    deniedBy === undefined
      ? 'No policies evaluated to outcome: Allow'
      : `The following policies denied this action: ${deniedBy.length === 0 ? 'not shown, because the parent organization has them or this user may not read them' : deniedBy.join(', ')}`;
  const type = 'type.googleapis.com/errors.v1.PolicyEnginePermissionError';
  return [
    { '@type': type, message, policyEvaluations: evaluations.map(({ policyId, outcome }) => ({ policyId, outcome })) },
    { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en', message: reason },
  ];
}

/** Intent and result under the names of the submitted version. The intent contains the submitted parameters. */
function keyed({ type, votes, result }: ActivityRecord, view: View): Keyed {
  const known = activityByType.get(type);
  const message = votes[0]?.message;
  if (known === undefined || message === undefined || message === '') return { intent: {}, result: {} };
  const { definition, version } = known;
  const { parameters } = JSON.parse(message) as { parameters: unknown };
  const intent = { [intentKey(definition.name, type)]: view.params(withoutNulls(parameters)) };
  if (result === null) return { intent, result: {} };
  const shown = view.result(result);
  return { intent, result: { [version.resultKey]: version.result === undefined ? shown : version.result(shown as never) } };
}
