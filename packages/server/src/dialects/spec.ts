import { activityByType, errorCodes, specVersions } from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import { hideCredentials, isSubmitter, withoutCredentials } from './credentials.ts';
import { errorDetails, showDetails } from './details.ts';
import type { Dialect } from './dialect.ts';

/** The shapes of the specification: exactly its keys, at every level. */
export const spec: Dialect = {
  name: 'spec',
  basePath: '',
  ignoredSubmitKeys: [],
  notOffered: new Map(),
  showBeyondSpec: false,

  acceptedVersions: specVersions,

  paramsOf: ({ specParams }) => specParams,

  showSubmitted(record, _organization, callerId) {
    const { id, status, type, organizationId, timestampMs } = record;
    const shown = isSubmitter(record, callerId) ? keyed(record) : withoutCredentials(keyed(record));
    return { activity: { id, status, type, organizationId, timestampMs, result: { activity: { type, ...shown } } } };
  },

  showActivity: (record, organization, callerId) => hideCredentials(showDetails(record, organization, callerId, keyed(record))),

  showQueried(data, { id, organizationId, nowMs }) {
    return {
      activity: {
        id,
        status: 'ACTIVITY_STATUS_COMPLETED',
        type: 'ACTIVITY_TYPE_UNKNOWN_V1',
        organizationId,
        timestampMs: String(nowMs),
        result: data,
      },
    };
  },

  showError(error) {
    return { code: errorCodes[error.code].grpc, message: error.message, details: errorDetails(error), errorCode: error.code };
  },
};

/** Intent and result under the plain names of the operation, whatever version was submitted. */
function keyed({ type, intent, result }: ActivityRecord): { intent: Record<string, unknown>; result: Record<string, unknown> } {
  const name = activityByType.get(type)?.definition.name;
  if (name === undefined) return { intent: {}, result: {} };
  return { intent: { [`${name}Intent`]: intent }, result: result === null ? {} : { [`${name}Result`]: result } };
}
