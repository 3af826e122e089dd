import type { PolicySource } from '@countersign/policy';
import { policyOptions } from '@countersign/server';

/** A control that a condition names. */
const CONTROL = /\bcontrols\s*\.\s*([A-Za-z_][A-Za-z0-9_]*)/g;

/**
 * What the service brings to the policy language, and every control that the texts name: without an organization, nobody knows which
 * controls exist. Each of them is a truth value of its own.
 */
export function offlineOptions(policies: readonly Pick<PolicySource, 'condition'>[]): typeof policyOptions {
  const names = new Set(policies.flatMap(({ condition = '' }) => [...condition.matchAll(CONTROL)].map(([, name = '']) => name)));
  const kinds = [...new Set(policyOptions.activities.map(({ kind }) => kind))];
  return { ...policyOptions, controls: [...names].map((name) => ({ name, doc: 'a velocity control', kinds })) };
}
