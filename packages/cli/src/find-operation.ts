import { activities, queries } from '@countersign/contract';
import type { Definition } from './operation.ts';

/** The definition of an operation. Undefined if it does not exist. A module to load on demand: it loads all operations. */
export function findOperation(name: string): Definition | undefined {
  const all: Readonly<Record<string, Definition>> = { ...activities, ...queries };
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
