import type { PolicyCredential, PolicyUser } from '../request.ts';
import { type StructField, type StructType, t } from '../types.ts';
import type { PolicyValue } from '../value.ts';

/** A record that the engine creates: its type and its conversion. A field that `toRecord` does not return does not compile. */
interface RecordKind<Source> {
  readonly type: StructType;
  readonly toRecord: (source: Source) => PolicyValue;
}

function defineRecord<Source, Name extends string>(
  name: string,
  fields: Readonly<Record<Name, StructField>>,
  toRecord: (source: Source) => Readonly<Record<Name, PolicyValue>>,
): RecordKind<Source> {
  return { type: t.struct(name, fields), toRecord };
}

/** An element of `approvers`. */
export const user = defineRecord(
  'User',
  {
    id: { type: t.string, doc: 'The id of the user' },
    tags: { type: t.list(t.string), doc: 'The ids of the tags of the user' },
    email: { type: t.string, doc: 'The email address, empty if there is none' },
    alias: { type: t.string, doc: 'The name of the user' },
  },
  ({ id, tags, email, alias }: PolicyUser) => ({ id, tags, email: email ?? '', alias }),
);

/** An element of `credentials`. */
export const credential = defineRecord(
  'Credential',
  {
    id: { type: t.string, doc: 'The id of the API key or authenticator' },
    user_id: { type: t.string, doc: 'The user it belongs to' },
    type: { type: t.word('credential.type'), doc: 'The type of the credential' },
    credential_id: { type: t.string, doc: 'The credential id of a passkey, empty for other types' },
    public_key: { type: t.hex, doc: 'The public key' },
  },
  ({ id, userId, type, credentialId, publicKey }: PolicyCredential) => ({
    id,
    user_id: userId,
    type,
    credential_id: credentialId ?? '',
    public_key: publicKey,
  }),
);
