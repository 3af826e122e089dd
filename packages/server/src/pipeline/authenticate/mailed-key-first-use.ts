import { changeAsSystem } from '../commit/system-change.ts';
import type { PipelineServices } from '../services.ts';
import type { Authenticated } from './authenticate.ts';

type FirstUseServices = Pick<PipelineServices, 'organizations' | 'vault' | 'commits' | 'auth' | 'limits' | 'clock'>;

/**
 * Records the first use of a mailed key and its consequences, then authenticates the caller again. Returns the caller unchanged for any
 * other credential.
 */
export function recordFirstUse(
  services: FirstUseServices,
  authenticated: Authenticated,
  authenticateAgain: () => Promise<Authenticated>,
): Authenticated | Promise<Authenticated> {
  const { caller, home } = authenticated;
  const { credentialId } = caller;
  if (home.apiKeys.get(credentialId)?.messageId === undefined) return authenticated;
  const { auth, limits, clock } = services;
  const recorded = changeAsSystem(services, home.id, (organization) =>
    auth.activateMailedKey(organization, credentialId, limits, clock.nowMs()),
  );
  return recorded.then((isChanged) => (isChanged ? authenticateAgain() : authenticated));
}
