import { t } from '../types.ts';
import type { Namespace } from './namespace.ts';
import { credential, user } from './people.ts';

/** `approvers` */
export const approvers: Namespace = {
  path: 'approvers',
  field: 'consensus',
  type: t.list(user.type),
  doc: 'The users who approved, in the order of their approvals',
  example: "approvers.filter(user, user.tags.contains('<tag id>')).count() >= 2",
  read: (_, approval) => approval.users.map(user.toRecord),
};

/** `credentials` */
export const credentials: Namespace = {
  path: 'credentials',
  field: 'consensus',
  type: t.list(credential.type),
  doc: 'The credentials they approved with',
  example: "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')",
  read: (_, approval) => approval.credentials.map(credential.toRecord),
};

/**
 * `requester`
 * SECURITY: D397: a requester who is not a user any more is a record without fields, so that reading one is an error. An absent namespace
 * would mean that a DENY does not apply.
 */
export const requester: Namespace = {
  path: 'requester',
  field: 'consensus',
  type: user.type,
  doc: 'The user who sent the request. Its fields have no value if this user was deleted',
  example: 'approvers.any(user, user.id != requester.id)',
  since: 3,
  read: ({ requesterId = '', organizationUsers }) => {
    const found = organizationUsers.get(requesterId);
    return found === undefined ? {} : user.toRecord(found);
  },
};

/** `time.now` */
export const timeNow: Namespace = {
  path: 'time.now',
  field: 'time',
  type: t.timestamp,
  doc: 'The time of the decision, by the clock of the service',
  example: "time.now < Timestamp('2026-03-01T00:00:00Z')",
  read: ({ now }) => BigInt(Math.floor(now)),
};

/** `activity.kind` */
export const activityKind: Namespace = {
  path: 'activity.kind',
  field: 'condition',
  type: t.word('activity.kind'),
  doc: 'The type without prefix and version. Activities of the root quorum have none',
  example: "activity.kind == 'SIGN_TRANSACTION'",
  read: ({ activity }) => activity.kind,
};

/** The namespaces that the engine provides in all requests. */
export const engineNamespaces: readonly Namespace[] = [
  approvers,
  credentials,
  requester,
  timeNow,
  {
    path: 'activity.type',
    field: 'condition',
    type: t.word('activity.type'),
    doc: 'The type, with its version',
    example: "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'",
    read: ({ activity }) => activity.type,
  },
  activityKind,
  {
    path: 'activity.resource',
    field: 'condition',
    type: t.word('activity.resource'),
    doc: 'The resource of the activity',
    example: "activity.resource == 'WALLET'",
    read: ({ activity }) => activity.resource,
  },
  {
    path: 'activity.action',
    field: 'condition',
    type: t.word('activity.action'),
    doc: 'The action of the activity',
    example: "activity.action == 'SIGN'",
    read: ({ activity }) => activity.action,
  },
  {
    path: 'activity.given',
    field: 'condition',
    type: t.list(t.word('activity.given')),
    doc: 'The names of the parameters in the request, without omitted ones',
    example: "activity.given.contains('user_id')",
    read: ({ activity }) => activity.given?.(),
    onDemand: true,
  },
  {
    path: 'activity.added',
    field: 'condition',
    type: t.list(t.string),
    doc: 'The ids of tags, and the names and e-mail addresses, that users, private keys and wallets gain',
    example: "activity.kind == 'UPDATE_USER' && activity.added.all(each, each in ['<tag id>'])",
    read: ({ activity }) => activity.added?.(),
    onDemand: true,
  },
  {
    path: 'activity.removed',
    field: 'condition',
    type: t.list(t.string),
    doc: 'The ids of tags, and the names and e-mail addresses, that users, private keys and wallets lose',
    example: "activity.kind == 'UPDATE_USER' && activity.removed.all(each, each in ['<tag id>'])",
    read: ({ activity }) => activity.removed?.(),
    onDemand: true,
  },
];
