import { type ActivityDefinition, activities, activityByType, isConfidential } from '@countersign/contract';
import type { RecordKind } from '@countersign/judgement';
import type { ActivityRow, EventBodyRow, EventRow, LookupRow, RecordRow } from '../../store/rows.ts';
import type { AtRest } from './at-rest.ts';

/**
 * Kinds of records with contacts or URLs. INVARIANT: a kind without an answer does not compile. Records of other kinds are sealed if their
 * text looks like it contains a contact, such as a policy that names an email address.
 */
const sealedKinds: Readonly<Record<RecordKind, boolean>> = {
  organization: true,
  user: true,
  apiKey: false,
  authenticator: false,
  oauthProvider: false,
  readOnlySession: false,
  importTarget: false,
  usedToken: false,
  oneTimeCode: true,
  wrongTries: false,
  userTag: false,
  privateKeyTag: false,
  invitation: true,
  policy: false,
  smartContractInterface: false,
  contact: false,
  token: false,
  velocityControl: false,
  openActivity: false,
  ipAllowlist: false,
  webhookEndpoint: true,
  sessionProfile: false,
  mfaPolicy: false,
  pushSubscription: true,
  oauth2Credential: false,
  evictedKeys: false,
  freeze: false,
  // Contains email addresses of senders.
  authProxy: true,
  // Names and properties say what a stolen database is worth.
  secret: true,
};

/** Index kinds whose values are contacts, or names that are often chosen like contacts. Only exact values are looked up. */
const hashedLookups: ReadonlySet<string> = new Set([
  'suborg.EMAIL',
  'suborg.PHONE_NUMBER',
  'suborg.USERNAME',
  'suborg.proven.EMAIL',
  'suborg.proven.PHONE_NUMBER',
]);

/** Definitions whose parameters or results can contain a contact, a secret or a URL with a token. */
const sealedDefinitions: ReadonlySet<ActivityDefinition> = new Set(
  Object.values<ActivityDefinition>(activities).filter(({ input, intent, result, versions }) =>
    [input, intent, result, ...versions.map(({ params }) => params.schema)].some(isConfidential),
  ),
);

/** Whether a record of this kind is always sealed. */
export function isSealedKind(kind: string): boolean {
  return sealedKinds[kind as RecordKind] !== false;
}

/** Whether an activity of this type is always sealed. A type that this release does not know is. */
export function isSealedType(type: string): boolean {
  const known = activityByType.get(type);
  return known === undefined || sealedDefinitions.has(known.definition);
}

/** Whether a text may contain an email address or a phone number, for example in the values that a policy read. */
function mayNameContact(text: string): boolean {
  return text.includes('@') || (text.includes('+') && /\+[1-9]\d{6}/.test(text));
}

/** The forms in which rows are stored. Each function returns the same row if nothing in it is sealed. */
export interface RowForms {
  readonly record: Form<Pick<RecordRow, 'organizationId' | 'kind' | 'id' | 'body'>>;
  readonly activity: Form<Pick<ActivityRow, 'organizationId' | 'id' | 'type' | 'body'>>;
  /** An event with its own body. */
  readonly event: Form<Pick<EventRow, 'organizationId' | 'id' | 'endpointId' | 'body'>>;
  readonly eventBody: Form<EventBodyRow>;
  /** The stored value of an index entry. */
  lookupValue(row: Pick<LookupRow, 'organizationId' | 'kind' | 'value'>): string;
}

interface Form<Row> {
  toStored<R extends Row>(row: R): R;
  fromStored<R extends Row>(row: R): R;
}

export function createRowForms(atRest: AtRest): RowForms {
  function form<Row extends { readonly organizationId: string; readonly body: string }>(
    isSealedRow: (row: Row) => boolean,
    keyOf: (row: Row) => readonly string[],
  ): Form<Row> {
    const placeOf = (row: Row) => ({ organizationId: row.organizationId, key: keyOf(row) });
    return {
      toStored: (row) => (isSealedRow(row) ? { ...row, body: atRest.seal(placeOf(row), row.body) } : row),
      fromStored(row) {
        const body = atRest.open(placeOf(row), row.body);
        return body === row.body ? row : { ...row, body };
      },
    };
  }
  return {
    record: form(
      ({ kind, body }) => isSealedKind(kind) || mayNameContact(body),
      ({ kind, id }) => ['records', kind, id],
    ),
    activity: form(
      ({ type, body }) => isSealedType(type) || mayNameContact(body),
      ({ id }) => ['activities', id],
    ),
    event: form(
      ({ body }) => body !== '',
      ({ id, endpointId }) => ['events', id, endpointId],
    ),
    eventBody: form(
      () => true,
      ({ id }) => ['event_bodies', id],
    ),
    lookupValue: ({ organizationId, kind, value }) =>
      hashedLookups.has(kind) ? atRest.indexValue(organizationId, kind, value) : value,
  };
}
