import {
  type ActivityDefinition,
  activities,
  activityTypes,
  type JsonSchema,
  jsonSchemaOf,
  type QueryDefinition,
  queries,
} from '@countersign/contract';
import { subjectTitles } from 'countersign';
import { type Examples, exampleParts, examplesNote } from './examples.ts';
import { code, page } from './markdown.ts';
import { fieldTable, typeText } from './schema-text.ts';

const tables = 'packages/contract/src';

/** All activities, by subject. */
export function activitiesPage(examples: Examples): string {
  const intro =
    'Every change and every signature is an activity: a `POST` to its path with `type`, `timestampMs`, `organizationId` and `parameters`, stamped as sent. ' +
    'The same body again returns the same activity. An activity that is not complete has an empty result and a status that says why.';
  return page('Activities', `${tables}/activities`, [
    intro,
    examplesNote,
    ...bySubject<ActivityDefinition>(activities, examples, describeActivity),
  ]);
}

/** All queries, by subject. */
export function queriesPage(examples: Examples): string {
  const intro =
    'A query reads. Its fields are at the top level of the body. The data comes under `activity.result` on the path of the specification, and at the top level on the compatible one.';
  return page('Queries', `${tables}/queries`, [
    intro,
    examplesNote,
    ...bySubject<QueryDefinition>(queries, examples, describeQuery),
  ]);
}

function bySubject<D extends ActivityDefinition | QueryDefinition>(
  operations: Readonly<Record<string, D>>,
  examples: Examples,
  describe: (definition: D) => readonly string[],
): string[] {
  return Object.entries(subjectTitles).flatMap(([subject, title]) => {
    const members = Object.values(operations).filter((definition) => definition.subject === subject);
    return members.length === 0
      ? []
      : [`## ${title}`, ...members.flatMap((one) => [...describe(one), ...exampleParts(examples, one.name)])];
  });
}

function describeActivity(activity: ActivityDefinition): string[] {
  const { name, summary, path, type, specified, policy, rootQuorumOnly, versions, result } = activity;
  const current = versions.findIndex((version) => version.type === type);
  const earlier = versions.slice(0, current).map((version) => code(version.type));
  const newer = versions.slice(current + 1).map((version) => code(version.type));
  const onSpec = versions.filter((version) => (specified ? version.type === type : activityTypes.includes(version.type)));
  const specPath = onSpec.length > 0 ? `${code(`/public/v1/submit/${path}`)}, compatible` : 'only the compatible';
  const { params, specParams } = versions.find((version) => version.type === type) ?? activityWithout(type);
  const shown = onSpec.length > 0 ? specParams : params;
  const facts = [
    `Path: ${specPath} ${code(`/compat/turnkey/public/v1/submit/${path}`)}`,
    `Type: ${code(type)}`,
    ...(earlier.length === 0 ? [] : [`Earlier types${onSpec.length > 1 ? '' : ' (compatible path)'}: ${earlier.join(', ')}`]),
    ...(newer.length === 0 ? [] : [`Newer types (compatible path): ${newer.join(', ')}`]),
    rootQuorumOnly
      ? 'Only the root quorum may do it'
      : `In policies: resource ${code(policy.resource)}, action ${code(policy.action)}`,
  ];
  return [
    `### ${name}`,
    `${summary}.`,
    facts.map((fact) => `- ${fact}`).join('\n'),
    fieldTable(jsonSchemaOf(shown), 'Parameter'),
    differences(jsonSchemaOf(shown), jsonSchemaOf(params)),
    fieldTable(jsonSchemaOf(result), 'Result'),
  ];
}

function activityWithout(type: string): never {
  throw new Error(`${type} is not among the versions of its activity`);
}

/** What the compatible path takes beyond that of the specification. */
function differences(spec: JsonSchema, compatible: JsonSchema): string {
  const other = Object.entries(compatible.properties ?? {}).filter(
    ([name, field]) => JSON.stringify(field) !== JSON.stringify(spec.properties?.[name]),
  );
  if (other.length === 0) return '';
  return `On the compatible path: ${other.map(([name, field]) => `${code(name)} is ${typeText(field)}`).join(', ')}.`;
}

function describeQuery({ name, summary, path, input, output }: QueryDefinition): string[] {
  return [
    `### ${name}`,
    `${summary}.`,
    `- Path: ${code(`/public/v1/query/${path}`)}, compatible ${code(`/compat/turnkey/public/v1/query/${path}`)}`,
    fieldTable(jsonSchemaOf(input), 'Field'),
    fieldTable(jsonSchemaOf(output), 'Data'),
  ];
}
