import { amend } from './amend.ts';
import type { Authenticated } from './authenticate.ts';
import type { PipelineServices } from './services.ts';

/**
 * Writes down the first use of a key that came by mail, wherever it is used, and what follows from it. Gives whether anything changed: the
 * caller is then to be authenticated again.
 */
export async function recordOpening(services: PipelineServices, { caller, home }: Authenticated): Promise<boolean> {
  const { credentialId } = caller;
  if (home.apiKeys.get(credentialId)?.messageId === undefined) return false;
  const { openMailedKey, limits, clock } = services;
  return amend(services, home.id, (organization) => openMailedKey(organization, credentialId, limits, clock.nowMs()));
}
