import { activityByType, dialects, errorCodes, intentKey } from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import { withoutNulls } from '../wire/without-nulls.ts';
import { errorDetails, type Keyed, showDetails } from './details.ts';
import type { Dialect } from './dialect.ts';
import { notOffered } from './not-offered.ts';
import { publicView, type View, viewFor } from './redaction.ts';

/** The shapes that existing client packages read. Every version of a family is accepted, and echoed in its own form. */
export const turnkey: Dialect = {
  ...dialects.turnkey,
  notOffered,
  showBeyondSpec: true,

  showSubmitted(record, organization, callerId) {
    const view = viewFor(record, callerId);
    return { activity: showDetails(record, organization, callerId, keyed(record, view), view) };
  },

  showActivity(record, organization, callerId) {
    const view = publicView(record.type);
    return showDetails(record, organization, callerId, keyed(record, view), view);
  },

  showQueried: (data) => data,

  showError(error) {
    const { grpc, turnkey: turnkeyErrorCode } = errorCodes[error.code];
    // Clients recognise an expired session by this very text.
    const message =
      error.code === 'API_KEY_EXPIRED' ? `Unauthenticated desc = expired api key publicKey: ${error.message}` : error.message;
    const detail = { '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail', turnkeyErrorCode };
    return { code: grpc, message, details: [...errorDetails(error), detail], turnkeyErrorCode };
  },
};

/** Intent and result under the names of the submitted version, the intent being the parameters as they were sent. */
function keyed({ type, votes, result }: ActivityRecord, view: View): Keyed {
  const known = activityByType.get(type);
  const message = votes[0]?.message;
  if (known === undefined || message === undefined) return { intent: {}, result: {} };
  const { definition, version } = known;
  const { parameters } = JSON.parse(message) as { parameters: unknown };
  const intent = { [intentKey(definition.name, type)]: view.params(withoutNulls(parameters)) };
  if (result === null) return { intent, result: {} };
  const shown = view.result(result);
  return { intent, result: { [version.resultKey]: version.result === undefined ? shown : version.result(shown as never) } };
}
