import type { ViewField } from '@countersign/contract';
import {
  type ActivityDefinition,
  activities,
  activityKind,
  judgedByPolicies,
  policyFields,
  secretNames,
} from '@countersign/contract';
import { language, typeName } from '@countersign/policy';
import { code, page, table } from './markdown.ts';

type Type = Parameters<typeof typeName>[0];

/** Everything that policies can name: the namespaces and builtins of the language, and the parameters of every activity. */
export function policyLanguagePage(): string {
  const judged = Object.values<ActivityDefinition>(activities).filter(judgedByPolicies);
  return page('Policy language', 'packages/policy and the schemas of packages/contract', [
    'What the expressions of a policy can name. `condition` says what the policy is about, `consensus` who has to approve, `time` when it applies.',
    '## Namespaces',
    table(
      ['Name', 'Field', 'Type', 'What it is'],
      language.namespaces.map(({ path, field, type, doc }) => [code(path), field, code(typeName(type)), doc]),
    ),
    'A request has a namespace as a whole or not at all. A policy that names one that the request does not have does not apply to it.',
    ...records().flatMap(([name, fields]) => [`### ${name}`, table(['Field', 'Type', 'What it is'], fields)]),
    '## Methods of lists',
    table(
      ['Call', 'What it gives'],
      language.methods.map(({ signature, doc }) => [code(signature), doc]),
    ),
    '## Functions',
    table(
      ['Call', 'Field', 'What it gives'],
      language.functions.map(({ signature, field, doc }) => [code(signature), field, doc]),
    ),
    '## Parameters',
    'Policies see every parameter of every activity that they judge, as `activity.params.<name>`, but for secrets. All versions of an activity show the parameters of its current form. Policies judge neither votes nor activities of the root quorum.',
    'What a request leaves out is shown as the service takes it: the last column says how. Where it says "no value", a policy that names the parameter is in error: an ALLOW grants nothing, and a DENY denies. `activity.given` holds the names of the parameters that the request itself gives.',
    ...judged
      .map((definition): readonly [string, string] => [activityKind(definition.type), parametersOf(definition)])
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([kind, text]) => [`### ${kind}`, text]),
  ]);
}

/** The records of the language by name, each with its fields. */
function records(): readonly (readonly [string, readonly (readonly string[])[]])[] {
  const found = new Map<string, readonly (readonly string[])[]>();
  const visit = (type: Type): void => {
    if (type.kind === 'list' || type.kind === 'map') visit(type.of);
    if (type.kind !== 'struct' || found.has(type.name)) return;
    const fields = Object.entries(type.fields);
    found.set(
      type.name,
      fields.map(([name, field]) => [code(name), code(typeName(field.type)), field.doc]),
    );
    for (const [, field] of fields) visit(field.type);
  };
  for (const { type } of language.namespaces) visit(type);
  return [...found];
}

function parametersOf(definition: ActivityDefinition): string {
  const rows = [...policyFields(definition).values()].flatMap((field) => rowsOf(field, field.name));
  const secrets = secretNames(definition);
  const hidden = secrets.length === 0 ? '' : `Secret, and not shown: ${secrets.map(code).join(', ')}.`;
  const shown = rows.length === 0 ? 'No parameters.' : table(['Parameter', 'Type', 'What it is', 'When left out'], rows);
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
  if (members !== undefined && !Array.isArray(absent)) return 'its members as if they were left out';
  if (typeof absent === 'object') return code(JSON.stringify(absent));
  return absent === '' ? 'empty' : code(String(absent));
}
