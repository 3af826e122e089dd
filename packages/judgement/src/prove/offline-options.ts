import type { PolicySource } from '@countersign/policy';
import { policyOptions } from '../policy-options.ts';

/** A velocity control in a condition. */
const CONTROL = /\bcontrols\s*\.\s*([A-Za-z_][A-Za-z0-9_]*)/g;

const kinds = [...new Set(policyOptions.activities.map(({ kind }) => kind))];
/** A control that counts activities exists in these kinds, and a limit on transfers does not. */
const uncertainIn = [...new Set(policyOptions.activities.filter(({ action }) => action !== 'SIGN').map(({ kind }) => kind))];

/** Policy options of the service, plus every control that the policies name, as a boolean: offline, the existing controls are unknown. */
export function offlineOptions(policies: readonly Pick<PolicySource, 'condition'>[]): typeof policyOptions {
  const names = new Set(policies.flatMap(({ condition = '' }) => [...condition.matchAll(CONTROL)].map(([, name = '']) => name)));
  return { ...policyOptions, controls: [...names].map((name) => ({ name, doc: 'a velocity control', kinds, uncertainIn })) };
}
