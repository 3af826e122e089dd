import { initial } from './0001-initial.ts';
import { outbox } from './0002-outbox.ts';
import { events } from './0003-events.ts';
import { parentIndex } from './0004-parent-index.ts';
import { counters } from './0005-counters.ts';
import { log } from './0006-log.ts';
import { archive } from './0007-archive.ts';
import { usage } from './0008-usage.ts';
import { rareActivities } from './0009-rare-activities.ts';
import { consoleTables } from './0010-console.ts';
import { usageWithoutTimes } from './0011-usage-without-times.ts';
import { eventReceivers } from './0012-event-receivers.ts';
import { requestsInOrder } from './0013-requests-in-order.ts';
import { queueWithoutCounter } from './0014-queue-without-counter.ts';
import { headMap } from './0015-head-map.ts';
import { recodedActivities } from './0016-recoded-activities.ts';
import { eventBodies } from './0017-event-bodies.ts';
import { changes } from './0018-changes.ts';
import { eventWindows } from './0020-event-windows.ts';
import { packedRows } from './0021-packed-rows.ts';
import { movableRows } from './0022-movable-rows.ts';
import { dataKeyGenerations } from './0025-data-key-generations.ts';
import { activityTerms } from './0026-activity-terms.ts';
import { sends } from './0027-sends.ts';
import { namedSends } from './0028-named-sends.ts';
import { sentBytes } from './0029-sent-bytes.ts';
import { listedSends } from './0030-listed-sends.ts';
import { mailEvents } from './0031-mail-events.ts';
import { sessionUses } from './0032-session-uses.ts';
import { widerTerms } from './0033-wider-terms.ts';
import type { Migration } from './migration.ts';

/** All schema migrations, in order of id. */
export const migrations: readonly Migration[] = Object.freeze([
  initial,
  outbox,
  events,
  parentIndex,
  counters,
  log,
  archive,
  usage,
  rareActivities,
  consoleTables,
  usageWithoutTimes,
  eventReceivers,
  requestsInOrder,
  queueWithoutCounter,
  headMap,
  recodedActivities,
  eventBodies,
  changes,
  eventWindows,
  packedRows,
  movableRows,
  dataKeyGenerations,
  activityTerms,
  sends,
  namedSends,
  sentBytes,
  listedSends,
  mailEvents,
  sessionUses,
  widerTerms,
]);
