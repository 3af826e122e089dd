import { CountersignError } from '@countersign/client';
import { words } from '../words/index.ts';

interface Violation {
  readonly field: string;
  readonly description: string;
}

/** Readable message of an error. */
export function messageOf(error: unknown): string {
  if (error instanceof CountersignError) return error.code === 'UNREACHABLE' ? words.common.offline : error.message;
  if (isDeclined(error)) return words.common.passkeyDeclined;
  if (isAlreadyRegistered(error)) return words.identity.link.problems.registered.title;
  return error instanceof Error ? error.message : words.common.unexpected;
}

/** Whether the person or the browser declined to use a passkey. */
export function isDeclined(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError');
}

/** Whether the authenticator holds a passkey of the person already. */
export function isAlreadyRegistered(error: unknown): boolean {
  return error instanceof Error && error.name === 'InvalidStateError';
}

/** Whether the service no longer knows the session. */
export function isSessionEnded(error: unknown): boolean {
  return error instanceof CountersignError && error.status === 401;
}

/** Whether the service denies a query to the person. */
export function isForbidden(error: unknown): boolean {
  return error instanceof CountersignError && error.status === 403;
}

/** Whether the service offers something here not at all, for example queries of a chain that it is not connected to. */
export function isNotOffered(error: unknown): boolean {
  return error instanceof CountersignError && error.code === 'NOT_OFFERED';
}

/** Field violations by parameter path. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof CountersignError)) return {};
  const found: Record<string, string> = {};
  for (const detail of error.details) {
    const violations = (detail as { fieldViolations?: readonly Violation[] } | null)?.fieldViolations ?? [];
    for (const { field, description } of violations) found[field.replace(/^parameters\./, '')] ??= description;
  }
  return found;
}
