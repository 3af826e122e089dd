import type { ReadNode } from '../check/typed.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { namespaceState } from '../expression.ts';
import type { Type } from '../types.ts';
import { isList, isMap, isRecord, type PolicyValue, recordField } from '../value.ts';

/**
 * The state of a fixed path in a request: its value, `absent` if this kind of request does not have it, or `invalid` if it is missing or has
 * the wrong type.
 */
export type ReadState = { readonly value: PolicyValue } | 'absent' | 'invalid';

/** The state of one path. INVARIANT: evaluating the same path has the same result. */
export function readState(read: ReadNode, values: NamespaceValues): ReadState {
  const state = namespaceState(read.namespace, values);
  if (state !== 'present') return state === 'absent' ? 'absent' : 'invalid';
  let value = values.get(read.namespace.path);
  for (const name of read.path) {
    value = value !== undefined && isRecord(value) ? recordField(value, name) : undefined;
  }
  return value !== undefined && isOfType(value, read.type) ? { value } : 'invalid';
}

function isOfType(value: PolicyValue, type: Type): boolean {
  switch (type.kind) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
    case 'timestamp':
      return typeof value === 'bigint';
    case 'string':
    case 'address':
      return typeof value === 'string';
    case 'list':
      return isList(value);
    case 'map':
      return isMap(value);
    case 'struct':
      return isRecord(value);
    default:
      return true;
  }
}
