import type { Type } from '../types.ts';
import type { Namespace } from './namespace.ts';

/** The parent path of all activity parameters. */
export const PARAMETERS = 'activity.params';

const PREFIX = `${PARAMETERS}.`;

/** An activity parameter as the host declares it. Policies refer to it as `activity.params.<name>`. */
export interface ActivityParameter {
  readonly name: string;
  readonly type: Type;
  readonly doc: string;
  /** Every kind of activity that has it. INVARIANT: for these kinds the host returns a value, or evaluating the condition is an error. */
  readonly kinds: readonly string[];
}

/** A parameter as a namespace. */
export function parameterNamespace({ name, type, doc, kinds }: ActivityParameter): Namespace {
  return { path: `${PREFIX}${name}`, field: 'condition', type, doc, alwaysIn: new Set(kinds) };
}

/** The name of the parameter at a path. Undefined for other paths. */
export function parameterOf(path: string): string | undefined {
  return path.startsWith(PREFIX) ? path.slice(PREFIX.length) : undefined;
}
