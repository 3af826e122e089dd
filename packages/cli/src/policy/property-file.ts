import { PROVEN_BY_DEFAULT, type ProofTask, type PropertyToProve, toProperty } from '@countersign/judgement';
import { z } from 'zod';
import { CliError } from '../errors.ts';
import { noRootQuorum, rootQuorumShape, toUser, userShape } from './people-file.ts';
import { readJsonFile } from './policy-file.ts';

const propertyShape = z.strictObject({
  name: z.string().min(1),
  /** A condition. The property applies to requests for which it is true. */
  forbid: z.string().min(1),
  /** A consensus. Requests with these approvers may be allowed. */
  unless: z.string().min(1).optional(),
  /** A kind of activity. */
  activity: z.string().default(PROVEN_BY_DEFAULT),
});

const fileShape = z.union([
  z.strictObject({
    users: z.array(userShape).default([]),
    rootQuorum: rootQuorumShape.default(noRootQuorum),
    properties: z.array(propertyShape).min(1),
  }),
  z
    .array(propertyShape)
    .min(1)
    .transform((properties) => ({ users: [], rootQuorum: noRootQuorum, properties })),
]);

/** A property from the command line. */
export interface PropertyFlags {
  readonly forbid: string;
  readonly unless?: string | undefined;
  readonly activity?: string | undefined;
}

/** Reads a property file. Throws CliError with the file, the property and the reason. */
export function readPropertyFile(path: string): ProofTask {
  const parsed = fileShape.safeParse(readJsonFile(path));
  if (!parsed.success) {
    throw new CliError(
      `${path} contains no properties.`,
      'Write {"users": […], "properties": [{"name", "forbid", "unless", "activity"}]}; see docs/guide/proving-policies.md.',
    );
  }
  const { users, rootQuorum, properties } = parsed.data;
  const ids = new Set(users.map(({ id }) => id));
  const stranger = rootQuorum.userIds.find((id) => !ids.has(id));
  if (stranger !== undefined) throw new CliError(`${path}: rootQuorum: no user ${stranger} in the file.`, 'Add the user.');
  return { users: users.map(toUser), rootQuorum, properties: properties.map(toProperty) };
}

/** Parses a property from the command line. */
export function flagProperty({ forbid, unless, activity }: PropertyFlags): PropertyToProve {
  return toProperty({ name: forbid, forbid, unless, activity: activity ?? PROVEN_BY_DEFAULT });
}
