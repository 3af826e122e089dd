import { type Check, type FieldViolation, type ParameterReader, ServiceError } from '@countersign/contract';
import type { z } from 'zod';

/** Converts the parameters of a request to the executor's input. Throws REQUEST_INVALID that names every wrong field. */
export function readParameters(reader: ParameterReader, parameters: unknown): unknown {
  return reader.read(check, parameters);
}

const check: Check = (schema, value) => validate(schema, withoutNulls(value));

/** Checks a value against its schema. Throws REQUEST_INVALID that names every wrong field. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const violations = parsed.error.issues.flatMap(toViolations);
  const [first] = violations;
  throw new ServiceError('REQUEST_INVALID', `invalid request: ${first?.field} ${first?.description}`, { violations });
}

type Issue = z.core.$ZodIssue;

function toViolations(issue: Issue): FieldViolation[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), description: 'is not a field of this operation' }));
  }
  return [{ field: path.join('.') || 'body', description: describe(issue) }];
}

function describe(issue: Issue): string {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined && issue.message.includes('undefined') ? 'is required' : `must be of type ${issue.expected}`;
  }
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid')) {
    const shown = issue.values.slice(0, 12).map(String).join(', ');
    return `must be one of ${shown}${issue.values.length > 12 ? ', … (see the reference)' : ''}`;
  }
  return issue.message;
}

/** Removes object members that are null: an explicit null counts as absent. List items stay. Returns the same value if nothing changes. */
export function withoutNulls(value: unknown): unknown {
  return hasNullMember(value) ? copyWithoutNulls(value) : value;
}

function hasNullMember(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNullMember);
  return Object.values(value).some((member) => member === null || hasNullMember(member));
}

function copyWithoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyWithoutNulls);
  // SECURITY: build from entries. An assignment to `__proto__` would set the prototype to a value that the sender chose.
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, copyWithoutNulls(member)]])),
  );
}
