import type { ReadNode } from '../check/typed.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { namespaceState } from '../expression.ts';
import type { Type } from '../types.ts';
import { isList, isMap, isRecord, type PolicyValue, recordField } from '../value.ts';

/**
 * What a fixed path gives for a request: its value; `absent` when the request is not of the kind that has it; `faulty` when it
 * should be there and is not, or is of the wrong type.
 */
export type ReadState = { readonly value: PolicyValue } | 'absent' | 'faulty';

/** The state of one path. It agrees with what evaluation of the same path would give. */
export function readState(read: ReadNode, values: NamespaceValues): ReadState {
  const state = namespaceState(read.namespace, values);
  if (state !== 'present') return state === 'absent' ? 'absent' : 'faulty';
  let value = values.get(read.namespace.path);
  for (const name of read.path) {
    value = value !== undefined && isRecord(value) ? recordField(value, name) : undefined;
  }
  return value !== undefined && isOfType(value, read.type) ? { value } : 'faulty';
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
