import { ApiKeyStamper, CountersignError, generateTargetKey, openCredentialBundle } from '@countersign/client';
import { linkShelf, type RecoveryRequest, rememberedRecovery, rememberRecovery } from './database.ts';
import { askAbout, type CheckedLink, exchangedAlready, type LinkProblem } from './one-time-link.ts';

/** The request of this browser, or a new one. The email of the recovery is encrypted to its public key. */
export async function recoveryRequest(organizationId: string): Promise<RecoveryRequest> {
  const kept = await rememberedRecovery();
  if (kept?.organizationId === organizationId) return kept;
  const request = { organizationId, ...generateTargetKey() };
  await rememberRecovery(request);
  return request;
}

/**
 * Opens the code of a recovery email with the key of this browser's request, and asks the service about it.
 * SECURITY: D316: only the browser that made the request can open the code, so the email alone recovers nothing.
 */
export async function checkRecovery(code: string): Promise<CheckedLink | LinkProblem | 'otherBrowser'> {
  const request = await rememberedRecovery();
  if (request === undefined) return 'otherBrowser';
  let key: Awaited<ReturnType<typeof openCredentialBundle>>;
  try {
    key = await openCredentialBundle(code.replaceAll(/\s/g, ''), request.targetPrivateKey);
  } catch (error) {
    if (error instanceof CountersignError) return 'otherBrowser';
    throw error;
  }
  const shelf = linkShelf(key.apiPublicKey);
  const found = await askAbout(request.organizationId, new ApiKeyStamper(key), shelf);
  return found === 'unknown' ? exchangedAlready(request.organizationId, shelf) : found;
}
