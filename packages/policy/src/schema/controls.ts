import { t } from '../types.ts';
import type { Namespace } from './namespace.ts';

/** What the paths of all controls begin with. */
export const CONTROLS = 'controls.';

/** A limit over time as the host declares it. Policies name it `controls.<name>`. */
export interface ControlName {
  readonly name: string;
  readonly doc: string;
  /** The kinds of activity in which it can be asked for. INVARIANT: for these the host gives a value, or the condition is in error. */
  readonly kinds: readonly string[];
}

/** A control as a namespace: whether the limit holds with this request included. */
export function controlNamespace({ name, doc, kinds }: ControlName): Namespace {
  return { path: `${CONTROLS}${name}`, field: 'condition', type: t.bool, doc, alwaysIn: new Set(kinds) };
}

/** The name of the control that a path stands for; undefined for other paths. */
export function controlOf(path: string): string | undefined {
  return path.startsWith(CONTROLS) ? path.slice(CONTROLS.length) : undefined;
}

/** Every control, for the reference. The host declares those of an organization. */
export const documentedControl: Namespace = {
  path: `${CONTROLS}<identifier>`,
  field: 'condition',
  type: t.bool,
  doc: 'Whether a limit over time holds with this request included: a velocity control of the organization, by its identifier. Controls of transfers are there in requests that sign. An error where the request may move more than was read of it',
  example: "activity.kind == 'SIGN_TRANSACTION' && controls.daily_usdc",
};
