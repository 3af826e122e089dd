import { activityByType, errorCodes, intentKey } from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import { withoutNulls } from '../wire/without-nulls.ts';
import { hideCredentials, isSubmitter } from './credentials.ts';
import { errorDetails, showDetails } from './details.ts';
import type { Dialect } from './dialect.ts';
import { notOffered } from './not-offered.ts';

/** The shapes that existing client packages read. Every version of a family is accepted, and echoed in its own form. */
export const turnkey: Dialect = {
  name: 'turnkey',
  basePath: '/compat/turnkey',
  ignoredSubmitKeys: ['generateAppProofs'],
  notOffered,
  showBeyondSpec: true,

  acceptedVersions: ({ versions }) => versions,

  paramsOf: ({ params }) => params,

  showSubmitted(record, organization, callerId) {
    const details = showDetails(record, organization, callerId, keyed(record));
    return { activity: isSubmitter(record, callerId) ? details : hideCredentials(details) };
  },

  showActivity: (record, organization, callerId) => hideCredentials(showDetails(record, organization, callerId, keyed(record))),

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
function keyed({ type, votes, result }: ActivityRecord): { intent: Record<string, unknown>; result: Record<string, unknown> } {
  const known = activityByType.get(type);
  const message = votes[0]?.message;
  if (known === undefined || message === undefined) return { intent: {}, result: {} };
  const { definition, version } = known;
  const { parameters } = JSON.parse(message) as { parameters: unknown };
  return {
    intent: { [intentKey(definition.name, type)]: withoutNulls(parameters) },
    result: result === null ? {} : { [version.resultKey]: version.result(result as never) },
  };
}
