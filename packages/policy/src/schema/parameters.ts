import type { Type } from '../types.ts';
import type { Namespace } from './namespace.ts';

/** The path below which the parameters of activities stand. */
export const PARAMETERS = 'activity.params';

const PREFIX = `${PARAMETERS}.`;

/** A parameter of activities as the host declares it. Policies name it `activity.params.<name>`. */
export interface ActivityParameter {
  readonly name: string;
  readonly type: Type;
  readonly doc: string;
  /** Every kind of activity that has it. INVARIANT: for these kinds the host gives a value, or the condition is in error. */
  readonly kinds: readonly string[];
}

/** A parameter as a namespace. */
export function parameterNamespace({ name, type, doc, kinds }: ActivityParameter): Namespace {
  return { path: `${PREFIX}${name}`, field: 'condition', type, doc, alwaysIn: new Set(kinds) };
}

/** The name of the parameter that a path stands for; undefined for other paths. */
export function parameterOf(path: string): string | undefined {
  return path.startsWith(PREFIX) ? path.slice(PREFIX.length) : undefined;
}
