import type { AuthenticationType } from '@countersign/contract';
import type { AuthenticationMethod } from '../records.ts';
import type { ComparedKind, ComparedOrganization } from './change.ts';
import { reference } from './references.ts';

interface MethodInWords {
  readonly words: string;
  /** The kind of the object that the id of a method names. */
  readonly kind?: ComparedKind;
}

const methods: Readonly<Record<AuthenticationType, MethodInWords>> = {
  AUTHENTICATION_TYPE_PASSKEY: { words: 'a passkey', kind: 'authenticator' },
  AUTHENTICATION_TYPE_API_KEY: { words: 'an API key', kind: 'apiKey' },
  AUTHENTICATION_TYPE_EMAIL_OTP: { words: 'a sign-in with a code by email' },
  AUTHENTICATION_TYPE_SMS_OTP: { words: 'a sign-in with a code by SMS' },
  AUTHENTICATION_TYPE_OAUTH: { words: 'a sign-in with another account', kind: 'oauthProvider' },
  AUTHENTICATION_TYPE_SESSION: { words: 'a session', kind: 'sessionProfile' },
};

/** The methods of one step of an MFA policy. One of them suffices. */
export function methodWords(any: readonly AuthenticationMethod[], organization: ComparedOrganization): string {
  const shown = any.map(({ type, id }) => {
    const { words, kind } = methods[type];
    return id === undefined || kind === undefined ? words : reference(organization, kind, id);
  });
  return shown.join(' or ');
}
