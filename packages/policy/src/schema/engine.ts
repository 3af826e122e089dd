import { t } from '../types.ts';
import type { Namespace } from './namespace.ts';
import { credential, user } from './people.ts';

/** `approvers` */
export const approvers: Namespace = {
  path: 'approvers',
  field: 'consensus',
  type: t.list(user.type),
  doc: 'The users who approved, in the order of their approvals',
  read: (_, approval) => approval.users.map(user.toRecord),
};

/** `credentials` */
export const credentials: Namespace = {
  path: 'credentials',
  field: 'consensus',
  type: t.list(credential.type),
  doc: 'The credentials they approved with',
  read: (_, approval) => approval.credentials.map(credential.toRecord),
};

/** `time.now` */
export const timeNow: Namespace = {
  path: 'time.now',
  field: 'time',
  type: t.timestamp,
  doc: 'The time of the decision, by the clock of the service',
  read: ({ now }) => BigInt(Math.floor(now)),
};

/** `activity.kind` */
export const activityKind: Namespace = {
  path: 'activity.kind',
  field: 'condition',
  type: t.word('activity.kind'),
  doc: 'The type without prefix and version. Activities of the root quorum have none',
  read: ({ activity }) => activity.kind,
};

/** The namespaces that the engine provides for every request. */
export const engineNamespaces: readonly Namespace[] = [
  approvers,
  credentials,
  timeNow,
  {
    path: 'activity.type',
    field: 'condition',
    type: t.word('activity.type'),
    doc: 'The type, with its version',
    read: ({ activity }) => activity.type,
  },
  activityKind,
  {
    path: 'activity.resource',
    field: 'condition',
    type: t.word('activity.resource'),
    doc: 'What the activity acts on',
    read: ({ activity }) => activity.resource,
  },
  {
    path: 'activity.action',
    field: 'condition',
    type: t.word('activity.action'),
    doc: 'What the activity does with it',
    read: ({ activity }) => activity.action,
  },
  {
    path: 'activity.given',
    field: 'condition',
    type: t.list(t.word('activity.given')),
    doc: 'The names of the parameters that the request gives. Parameters that it leaves out are not among them',
    read: ({ activity }) => activity.given?.(),
    onDemand: true,
  },
];
