import { ServiceError } from '@countersign/contract';

/** The error for an id that the organization does not have. Ids of other organizations and nonexistent ids get the same error. */
export function notFound(what: string, field: string): ServiceError {
  return new ServiceError('NOT_FOUND', `No such ${what} in this organization. Check the id and organizationId.`, {
    violations: [{ field, description: `No such ${what}.` }],
  });
}

export function nameTaken(what: string, field: string): ServiceError {
  return new ServiceError(
    'NAME_TAKEN',
    `${what} label must be unique: another ${what} of this organization has this name. Choose another name.`,
    {
      violations: [{ field, description: 'This field must be unique.' }],
    },
  );
}

/** The error for an exceeded limit. `setting` names the limit for the operator. */
export function limitExceeded(what: string, limit: number, setting: string): ServiceError {
  return new ServiceError(
    'LIMIT_EXCEEDED',
    `This would exceed the limit of ${limit} ${what} (${setting}). Remove some, or ask the operator to raise the limit.`,
  );
}

export function invalidField(field: string, description: string, options?: ErrorOptions): ServiceError {
  return new ServiceError('REQUEST_INVALID', `invalid request: ${field} ${description}`, {
    ...options,
    violations: [{ field, description }],
  });
}

/** The index of the first repeated text. Undefined if all texts differ. */
export function firstRepeated(texts: readonly string[]): number | undefined {
  const seen = new Set<string>();
  for (const [index, text] of texts.entries()) {
    if (seen.has(text)) return index;
    seen.add(text);
  }
  return undefined;
}

/** Rejects a list with duplicates. `field` is the path of the list in the parameters. */
export function requireDistinct(ids: readonly string[], what: string, field: string): void {
  const repeated = firstRepeated(ids);
  if (repeated !== undefined) throw invalidField(`${field}.${repeated}`, `repeats a ${what} of this list`);
}
