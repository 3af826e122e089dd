import { addressBlock, type Claimant } from '../../admission/index.ts';
import type { Stamp } from '../../auth/stamp.ts';
import type { StampedBody } from './authenticate.ts';
import { type PresentedSession, sessionIdOf } from './read-only-session.ts';

/** Who a request claims to come from, before anything is checked. */
export function claimantOf(proof: StampedBody | PresentedSession): Claimant {
  const credential = 'session' in proof ? sessionIdOf(proof.session) : namedBy(proof.stamp);
  return { address: addressBlock(proof.clientAddress()), credential };
}

function namedBy(stamp: Stamp): string {
  return stamp.kind === 'apiKey' ? stamp.publicKey : stamp.credentialId;
}
