import { isList, isMap, type PolicyValue } from '@countersign/policy';

/** Encodes a value of the policy language as JSON, in the format of case files: JSON has neither big integers nor maps. */
export function encodeValue(value: PolicyValue): unknown {
  if (typeof value === 'bigint') return { $int: value.toString() };
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (isList(value)) return value.map(encodeValue);
  if (isMap(value)) return { $map: encodeMembers([...value]) };
  return encodeMembers(Object.entries(value));
}

function encodeMembers(members: readonly (readonly [string, PolicyValue])[]): Record<string, unknown> {
  return Object.fromEntries(members.map(([name, value]) => [name, encodeValue(value)]));
}
