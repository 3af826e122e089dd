import { activityByType } from '@countersign/contract';
import {
  type CompiledExpression,
  compileExpression,
  type PolicyUser,
  type Property,
  type ProvenActivity,
  renderDiagnostic,
} from '@countersign/policy';
import { besidePolicies, policyOptions } from '@countersign/server';
import { z } from 'zod';
import { CliError } from '../errors.ts';
import { offlineOptions } from './offline-options.ts';
import { noRootQuorum, rootQuorumShape, toUser, userShape } from './people-file.ts';
import { readJsonFile } from './policy-file.ts';

const propertyShape = z.strictObject({
  name: z.string().min(1),
  /** A condition. The property applies to requests for which it is true. */
  forbid: z.string().min(1),
  /** A consensus. Requests with these approvers may be allowed. */
  unless: z.string().min(1).optional(),
  /** A kind of activity. */
  activity: z.string().default('SIGN_TRANSACTION'),
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

/** A checked property and its activity. */
export interface PropertyToProve {
  readonly property: Property;
  readonly activity: ProvenActivity;
}

/** Properties and their people. */
export interface PropertyFile {
  readonly users: readonly PolicyUser[];
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] };
  readonly properties: readonly PropertyToProve[];
}

/** A property from the command line. */
export interface PropertyFlags {
  readonly forbid: string;
  readonly unless?: string | undefined;
  readonly activity?: string | undefined;
}

/** Reads a property file. Throws CliError with the file, the property and the reason. */
export function readPropertyFile(path: string): PropertyFile {
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
  return toProperty({ name: forbid, forbid, unless, activity: activity ?? 'SIGN_TRANSACTION' });
}

function toProperty({ name, forbid, unless, activity }: z.output<typeof propertyShape>): PropertyToProve {
  const property: Property = {
    name,
    forbid: compiled(name, forbid, 'condition'),
    ...(unless !== undefined && { unless: compiled(name, unless, 'consensus') }),
  };
  return { property, activity: activityOf(name, activity) };
}

function compiled(name: string, text: string, field: 'condition' | 'consensus'): CompiledExpression {
  const { expression, diagnostics } = compileExpression(text, field, offlineOptions([{ condition: text }]));
  if (expression !== undefined) return expression;
  const drawings = diagnostics.map((diagnostic) => renderDiagnostic(text, diagnostic)).join('\n');
  const what = field === 'condition' ? 'forbid' : 'unless';
  throw new CliError(`property "${name}", ${what}:\n${drawings}`, `Write ${what} like the ${field} of a policy.`);
}

function activityOf(name: string, kind: string): ProvenActivity {
  const versions = policyOptions.activities.filter((each) => each.kind === kind);
  const [first] = versions;
  if (first === undefined) {
    throw new CliError(
      `property "${name}": policies do not apply to activities of kind ${kind}.`,
      'Use a kind such as SIGN_TRANSACTION. Activities that only the root quorum may perform need no proof.',
    );
  }
  const { resource, action } = first;
  const definition = activityByType.get(first.type)?.definition;
  if (definition === undefined) throw new Error(`the contract has no ${first.type}`);
  return { kind, resource, action, types: versions.map(({ type }) => type), ...besidePolicies(definition) };
}
