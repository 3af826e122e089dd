import { type FieldViolation, ServiceError } from '@countersign/contract';
import type { z } from 'zod';

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
