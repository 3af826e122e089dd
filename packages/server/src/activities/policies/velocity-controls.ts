import { ServiceError } from '@countersign/contract';
import { ControlProblem, isControlIdentifier } from '@countersign/judgement';
import type { VelocityControlRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { invalidField, nameTaken, notFound } from '../../wire/refuse.ts';

/** Runs a check of a definition, and converts a problem into a request error. */
export function orRefuse<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof ControlProblem) throw invalidField(error.field, error.description, { cause: error });
    throw error;
  }
}

/** Returns a spending limit by id. Throws NOT_FOUND. */
export function requireControl({ records }: Snapshot, velocityControlId: string): VelocityControlRecord {
  const control = records.velocityControl.get(velocityControlId);
  if (control === undefined) throw notFound('velocity control', 'velocityControlId');
  return control;
}

/** Rejects an identifier or a name that another spending limit has, and an identifier that is a reserved word of the policy language. */
export function requireFree(
  { records }: Snapshot,
  { identifier, name }: { readonly identifier?: string | undefined; readonly name?: string | undefined },
  exceptId?: string,
): void {
  if (identifier !== undefined && !isControlIdentifier(identifier))
    throw invalidField('identifier', 'is a reserved word of the policy language');
  for (const [id, other] of records.velocityControl) {
    if (id === exceptId) continue;
    if (other.identifier === identifier) throw nameTaken('velocity control', 'identifier');
    if (other.name === name) throw nameTaken('velocity control', 'name');
  }
}

/**
 * Rejects the removal of a spending limit that policies refer to.
 * SECURITY: without it, the conditions of these policies would fail: an ALLOW policy would grant nothing, and another spending limit with
 * the same identifier would silently replace it.
 */
export function requireUnnamed({ policies }: Snapshot, { identifier }: VelocityControlRecord, field: string): void {
  const named = new RegExp(`\\bcontrols\\s*\\.\\s*${identifier}\\b`);
  const names = [...policies].filter(([, { condition = '' }]) => named.test(condition));
  if (names.length === 0) return;
  const list = names.map(([id, { policyName }]) => `"${policyName}" (${id})`).join(', ');
  throw new ServiceError(
    'REQUEST_INVALID',
    `invalid request: policies refer to this control as controls.${identifier}: ${list}`,
    {
      violations: [{ field, description: `is used as controls.${identifier} by ${list}. Change these policies first` }],
    },
  );
}
