import { activityByType, dialects, errorCodes } from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import { errorDetails, type Keyed, showDetails } from './details.ts';
import { defaultReader } from './details-reader.ts';
import type { Dialect } from './dialect.ts';
import { publicView, type View, viewFor } from './redaction.ts';

/** The shapes of the specification: exactly its keys, at every level. */
export const spec: Dialect = {
  ...dialects.spec,
  notOffered: new Map(),
  showBeyondSpec: false,

  showSubmitted(record, _organization, callerId) {
    const { id, status, type, organizationId, timestampMs } = record;
    const shown = keyed(record, viewFor(record, callerId));
    return { activity: { id, status, type, organizationId, timestampMs, result: { activity: { type, ...shown } } } };
  },

  showActivity(record, organization, callerId, reader = defaultReader(organization, record)) {
    const view = publicView(record.type);
    return showDetails(record, organization, callerId, keyed(record, view), view, false, reader);
  },

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
    const { status, grpc } = errorCodes[error.code];
    return { status, body: { code: grpc, message: error.message, details: errorDetails(error), errorCode: error.code } };
  },
};

/** Intent and result under the plain names of the operation, the same for all versions. */
function keyed({ type, intent, result }: ActivityRecord, view: View): Keyed {
  const name = activityByType.get(type)?.definition.name;
  if (name === undefined) return { intent: {}, result: {} };
  return {
    intent: intent === null ? {} : { [`${name}Intent`]: view.params(intent) },
    result: result === null ? {} : { [`${name}Result`]: view.result(result) },
  };
}
