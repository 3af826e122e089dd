import { browserShelf, SessionStamper } from '@countersign/client';
import { wipeSession } from './database.ts';
import { logInWithToken, verifyCode } from './relay.ts';
import { rememberOpened, type Session } from './session.ts';

/** Opens a session: exchanges the code for a token, with which a new key logs in. */
export async function signInByCode(organizationId: string, otpId: string, otpCode: string): Promise<Session> {
  await wipeSession();
  const stamper = await SessionStamper.open(browserShelf());
  const { publicKey } = stamper;
  const verificationToken = await verifyCode(organizationId, { otpId, otpCode, publicKey });
  const message = JSON.stringify({
    login: { publicKey },
    tokenId: claimsOf(verificationToken).id,
    type: 'USAGE_TYPE_LOGIN',
  });
  const clientSignature = {
    publicKey,
    scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256',
    message,
    signature: await signatureBy(stamper, message),
  } as const;
  const session = await logInWithToken(organizationId, { verificationToken, publicKey, clientSignature });
  return rememberOpened(organizationId, stamper, session);
}

const fromBase64url = (text: string) => atob(text.replaceAll('-', '+').replaceAll('_', '/'));

function claimsOf(token: string): { id: string } {
  return JSON.parse(fromBase64url(token.split('.')[1] ?? '')) as { id: string };
}

/** The signature of a stamp over the text. */
async function signatureBy(stamper: SessionStamper, text: string): Promise<string> {
  const { stampHeaderValue } = await stamper.stamp(text);
  return (JSON.parse(fromBase64url(stampHeaderValue)) as { signature: string }).signature;
}
