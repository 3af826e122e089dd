import { amend } from '../commit/system-change.ts';
import type { PipelineServices } from '../services.ts';
import type { Authenticated } from './authenticate.ts';

/** Whether the use of this credential may have to be written down. */
export function mayOpen({ caller, home }: Authenticated): boolean {
  return home.apiKeys.get(caller.credentialId)?.messageId !== undefined;
}

/**
 * Writes down the first use of a key that came by mail, wherever it is used, and what follows from it. Gives whether anything changed: the
 * caller is then to be authenticated again.
 */
export async function recordOpening(services: PipelineServices, authenticated: Authenticated): Promise<boolean> {
  if (!mayOpen(authenticated)) return false;
  const { home } = authenticated;
  const { credentialId } = authenticated.caller;
  const { openMailedKey, limits, clock } = services;
  return amend(services, home.id, (organization) => openMailedKey(organization, credentialId, limits, clock.nowMs()));
}
