import type { Stamp } from '../auth/stamp.ts';
import { addressBlock } from '../fairness/address-block.ts';
import type { Claimant } from '../fairness/rates.ts';
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
