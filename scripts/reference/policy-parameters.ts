import type { ViewField } from '@countersign/contract';
import {
  type ActivityDefinition,
  activities,
  activityKind,
  judgedByPolicies,
  policyFields,
  secretNames,
} from '@countersign/contract';
import { typeName } from '@countersign/policy';
import { code, page, table } from './markdown.ts';

type Type = Parameters<typeof typeName>[0];

/** The parameters of every activity, as policies see them. */
export function policyParametersPage(): string {
  const judged = Object.values<ActivityDefinition>(activities).filter(judgedByPolicies);
  return page('Parameters in policies', 'the schemas of packages/contract', [
    'Policies see every parameter of every activity that they judge, as `activity.params.<name>`, except secrets. All versions of an activity have the parameters of its current version. Policies do not apply to votes and to activities that are reserved for the root quorum.',
    'An omitted parameter has the value that the service uses, see the last column. If that is "no value", a policy that refers to the parameter fails: an ALLOW grants nothing, and a DENY denies. `activity.given` contains the names of the parameters in the request.',
    ...judged
      .map((definition): readonly [string, string] => [activityKind(definition.type), parametersOf(definition)])
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([kind, text]) => [`## ${kind}`, text]),
  ]);
}

function parametersOf(definition: ActivityDefinition): string {
  const rows = [...policyFields(definition).values()].flatMap((field) => rowsOf(field, field.name));
  const secrets = secretNames(definition);
  const hidden = secrets.length === 0 ? '' : `Secret, and not shown: ${secrets.map(code).join(', ')}.`;
  const shown = rows.length === 0 ? 'No parameters.' : table(['Parameter', 'Type', 'Description', 'If omitted'], rows);
  return [shown, hidden].filter((text) => text !== '').join('\n\n');
}

/** One row for a parameter, and one for each value inside it. `[]` marks the elements of a list. */
function rowsOf(field: ViewField, path: string): readonly (readonly string[])[] {
  const row = [code(path), code(shortType(field.type)), field.doc, field.optional ? leftOut(field) : ''];
  const inside = field.type.kind === 'list' ? `${path}[]` : path;
  return [row, ...(field.members ?? []).flatMap((member) => rowsOf(member, `${inside}.${member.name}`))];
}

function shortType(type: Type): string {
  if (type.kind === 'list') return `list<${shortType(type.of)}>`;
  return type.kind === 'struct' ? 'record' : typeName(type);
}

function leftOut({ absent, resolved, members }: ViewField): string {
  if (resolved !== undefined) return resolved;
  if (absent === undefined) return 'no value';
  if (members !== undefined && !Array.isArray(absent)) return 'its members as if they were omitted';
  if (typeof absent === 'object') return code(JSON.stringify(absent));
  return absent === '' ? 'empty' : code(String(absent));
}
