import { t } from '../types.ts';
import type { Namespace } from './namespace.ts';

/** The prefix of all control paths. */
export const CONTROLS = 'controls.';

/** A spending limit as the host declares it. Policies refer to it as `controls.<name>`. */
export interface ControlName {
  readonly name: string;
  readonly doc: string;
  /**
   * The kinds of activity in which policies can read it.
   * INVARIANT: for these the host returns a value, or evaluating the condition is an error.
   */
  readonly kinds: readonly string[];
  /**
   * What it says about assets that it does not count. DENIED: it has no value for a request that moves one, unless another control of the `&&` counts
   * that. Undefined if it counts no assets, or if the host does not know the control. Only proofs and warnings read this.
   */
  readonly otherAssets?: 'DENIED' | 'FREE' | undefined;
  /** Those of `kinds` in which it may not exist, if the host does not know the control. Only proofs read this. */
  readonly uncertainIn?: readonly string[];
}

/** A control as a namespace: whether the limit holds with this request included. */
export function controlNamespace({ name, doc, kinds, uncertainIn }: ControlName): Namespace {
  const namespace: Namespace = { path: `${CONTROLS}${name}`, field: 'condition', type: t.bool, doc, alwaysIn: new Set(kinds) };
  return uncertainIn === undefined ? namespace : { ...namespace, uncertainIn: new Set(uncertainIn) };
}

/** The name of the control at a path. Undefined for other paths. */
export function controlOf(path: string): string | undefined {
  return path.startsWith(CONTROLS) ? path.slice(CONTROLS.length) : undefined;
}

/** All controls, for the reference. The host declares the controls of an organization. */
export const documentedControl: Namespace = {
  path: `${CONTROLS}<identifier>`,
  field: 'condition',
  type: t.bool,
  doc: 'Whether a spending limit is kept, including this request: a velocity control of the organization, by its identifier. Transfer controls exist only in signing requests. An error if the request may move more than was decoded, or an asset that no control of the same `&&` counts',
  example: "activity.kind == 'SIGN_TRANSACTION' && controls.daily_usdc",
};
