import type { PolicyCredential, PolicyUser } from '../request.ts';
import { type StructType, type Type, t } from '../types.ts';
import type { PolicyValue } from '../value.ts';

/** A field of a record that the engine makes: its type, its documentation and its value in one entry. */
interface Field<Source> {
  readonly type: Type;
  readonly doc: string;
  readonly of: (source: Source) => PolicyValue;
}

/** A record that the engine makes. */
interface RecordKind<Source> {
  readonly type: StructType;
  readonly toRecord: (source: Source) => PolicyValue;
}

function defineRecord<Source>(name: string, fields: Readonly<Record<string, Field<Source>>>): RecordKind<Source> {
  const entries = Object.entries(fields);
  return {
    type: t.struct(name, Object.fromEntries(entries.map(([field, { type, doc }]) => [field, { type, doc }]))),
    toRecord: (source) => Object.fromEntries(entries.map(([field, { of }]) => [field, of(source)])),
  };
}

/** An element of `approvers`. */
export const user = defineRecord<PolicyUser>('User', {
  id: { type: t.string, doc: 'The id of the user', of: ({ id }) => id },
  tags: { type: t.list(t.string), doc: 'The ids of the tags of the user', of: ({ tags }) => tags },
  email: { type: t.string, doc: 'The e-mail address, empty when there is none', of: ({ email }) => email ?? '' },
  alias: { type: t.string, doc: 'The name of the user', of: ({ alias }) => alias },
});

/** An element of `credentials`. */
export const credential = defineRecord<PolicyCredential>('Credential', {
  id: { type: t.string, doc: 'The id of the API key or authenticator', of: ({ id }) => id },
  user_id: { type: t.string, doc: 'The user it belongs to', of: ({ userId }) => userId },
  type: { type: t.word('credential.type'), doc: 'The type of the credential', of: ({ type }) => type },
  credential_id: {
    type: t.string,
    doc: 'The credential id of a passkey, empty for other types',
    of: ({ credentialId }) => credentialId ?? '',
  },
  public_key: { type: t.hex, doc: 'The public key', of: ({ publicKey }) => publicKey },
});
