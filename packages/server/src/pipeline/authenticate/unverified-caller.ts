import type { StampedBody } from './authenticate.ts';
import { type PresentedSession, sessionIdOf } from './read-only-session.ts';

/** The credential that a request names: a public key, the id of a passkey or of a session. It is not verified. */
export function claimedCredential(proof: StampedBody | PresentedSession): string {
  if ('session' in proof) return sessionIdOf(proof.session);
  const { stamp } = proof;
  return stamp.kind === 'apiKey' ? stamp.publicKey : stamp.credentialId;
}
