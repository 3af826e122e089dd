import { changeAsSystem } from '../commit/system-change.ts';
import type { PipelineServices } from '../services.ts';
import type { Authenticated } from './authenticate.ts';

/** Whether the credential was sent by mail, so that its first use has to be recorded. */
export function isMailedKey({ caller, home }: Authenticated): boolean {
  return home.apiKeys.get(caller.credentialId)?.messageId !== undefined;
}

/**
 * Records the first use of a mailed key and its consequences. Returns whether anything changed; if so, the caller must be authenticated
 * again.
 */
export async function recordFirstUse(services: PipelineServices, authenticated: Authenticated): Promise<boolean> {
  if (!isMailedKey(authenticated)) return false;
  const { credentialId } = authenticated.caller;
  const { auth, limits, clock } = services;
  return changeAsSystem(services, authenticated.home.id, (organization) =>
    auth.openMailedKey(organization, credentialId, limits, clock.nowMs()),
  );
}
