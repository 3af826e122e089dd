import type { ExactJsonObject, ExactJsonValue } from '@countersign/strict-json';
import { invalidInterface } from '../../shared/refusal.ts';

const MAX_NAME_LENGTH = 200;

/** The value as an object. `what` names the value in the error. */
export function asObject(value: ExactJsonValue | undefined, what: string): ExactJsonObject {
  if (!(value instanceof Map)) throw invalidInterface(`${what} is not an object`);
  return value;
}

export function asList(value: ExactJsonValue | undefined, what: string): readonly ExactJsonValue[] {
  if (!Array.isArray(value)) throw invalidInterface(`${what} is not a list`);
  return value;
}

/** The member `name` of an object: text of 1 to 200 characters. */
export function nameOf(object: ExactJsonObject, what: string): string {
  const name = object.get('name');
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH) {
    throw invalidInterface(`${what} has no name of 1 to ${MAX_NAME_LENGTH} characters`);
  }
  return name;
}

/** Refuses duplicate names. A policy reaches values by name, so a duplicate would hide one of them. */
export function requireUnique(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw invalidInterface(`${what} has two members named ${JSON.stringify(name)}`);
    seen.add(name);
  }
}
