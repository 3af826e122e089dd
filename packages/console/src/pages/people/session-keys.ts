import type { Client } from '@countersign/client';
import { words } from '../../words/index.ts';

const { kinds, unknownDevice } = words.people.sessions;

export type SessionKey = Awaited<ReturnType<Client['getUser']>>['user']['apiKeys'][number];

/** The credentials that a sign-in creates, in words. Others stay until they are removed. */
export const sessionKinds: Readonly<Record<string, string>> = {
  CREDENTIAL_TYPE_LOGIN: kinds.login,
  CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256: kinds.command,
  CREDENTIAL_TYPE_OAUTH_KEY_P256: kinds.issuer,
  CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256: kinds.email,
  CREDENTIAL_TYPE_OTP_AUTH_KEY_P256: kinds.code,
  CREDENTIAL_TYPE_RECOVER_USER_KEY_P256: kinds.link,
};

export const isSessionKey = ({ credential }: { readonly credential: { readonly type: string } }): boolean =>
  Object.hasOwn(sessionKinds, credential.type);

/** The device and address of a use of a session, in words. */
export const placeOf = ({ device, address }: NonNullable<SessionKey['openedFrom']>): string =>
  [device ?? unknownDevice, ...(address === undefined ? [] : [address])].join(', ');
