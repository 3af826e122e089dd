import {
  type ActivityDefinition,
  type ActivityVersion,
  activities,
  dialects,
  type JsonSchema,
  jsonSchemaOf,
  type OperationDefinition,
  operationPath,
  type QueryDefinition,
  queries,
  queryKind,
} from '@countersign/contract';
import { type Definition, kebabCase, subjectTitles } from 'countersign';
import { callForms, type PublishedMethods } from './call-forms.ts';
import { helpOf } from './cli.ts';
import { type Examples, exampleOf, examplesNote, responsePart } from './examples.ts';
import { code, page, table } from './markdown.ts';
import { fieldTable, typeText } from './schema-text.ts';

const tables = 'packages/contract/src';

/** A list of all activities, by subject. Each has its own page. */
export function activitiesPage(): string {
  const intro =
    'Every change and every signature is an activity. Send a stamped `POST` with `type`, `timestampMs`, `organizationId` and `parameters` to its path. ' +
    'The same body again returns the same activity. An incomplete activity has an empty result, and its status shows why. ' +
    'Only the response to the submitter contains a **secret** field. It is empty in queries, in webhook events and for other users.';
  return page('Activities', `${tables}/activities`, [intro, ...bySubject(activities)]);
}

/** A list of all queries, by subject. */
export function queriesPage(): string {
  const intro =
    'A query reads. Its fields are at the top level of the body. The data is in `activity.result` on the specification’s path, and at the top level on the compatible path. ' +
    'Every query also accepts `timestampMs`, the time of the request, checked as in an activity. Send it: without it, anyone who obtains a stamped query can replay it. An organization can require it with the feature `FEATURE_NAME_QUERY_TIMESTAMPS`. ' +
    'Every user of an organization and of its parent reads everything, unless one of the two restricts reading with `FEATURE_NAME_READ_POLICIES` ([guide](../guide/reading.md)).';
  return page('Queries', `${tables}/queries`, [intro, ...bySubject(queries)]);
}

function bySubject(operations: Readonly<Record<string, OperationDefinition>>): string[] {
  return Object.entries(subjectTitles).flatMap(([subject, title]) => {
    const members = Object.values(operations).filter((definition) => definition.subject === subject);
    const rows = members.map(({ name, summary }) => [`[${name}](${operationFile(name)})`, summary]);
    return members.length === 0 ? [] : [`## ${title}`, table(['Operation', 'Description'], rows)];
  });
}

const operationFile = (name: string) => `operations/${kebabCase(name)}.md`;

/** The page of every operation, by file name. */
export async function operationPages(examples: Examples, methods: PublishedMethods): Promise<[string, string][]> {
  const pageOf = async (definition: Definition, described: readonly string[]): Promise<[string, string]> => {
    const { name } = definition;
    const example = exampleOf(examples, name);
    const forms = callForms(definition, example, methods, await helpOf([kebabCase(name)]));
    const parts = [...described, ...forms, '## Response', responsePart(example), examplesNote];
    // Shapes are described one folder up.
    return [operationFile(name), page(name, tables, parts).replaceAll('](shapes.md', '](../shapes.md')];
  };
  const pages: [string, string][] = [];
  for (const one of Object.values<ActivityDefinition>(activities)) pages.push(await pageOf(one, describeActivity(one)));
  for (const one of Object.values<QueryDefinition>(queries)) pages.push(await pageOf(one, describeQuery(one)));
  return pages;
}

function describeActivity(activity: ActivityDefinition): string[] {
  const { summary, type, policy, rootQuorumOnly, versions, result } = activity;
  const current = versions.findIndex((version) => version.type === type);
  const { params, specParams } = versions[current] ?? activityWithout(type);
  const facts = [
    pathFact(activity),
    `Type: ${code(type)}`,
    ...typesFact(activity, 'Earlier', versions.slice(0, current)),
    ...typesFact(activity, 'Newer', versions.slice(current + 1)),
    rootQuorumOnly
      ? 'Only the root quorum may do this'
      : `In policies: resource ${code(policy.resource)}, action ${code(policy.action)}`,
  ];
  return [
    `${summary}.`,
    facts.map((fact) => `- ${fact}`).join('\n'),
    fieldTable(jsonSchemaOf(specParams.schema), 'Parameter'),
    differences(jsonSchemaOf(specParams.schema), jsonSchemaOf(params.schema)),
    fieldTable(jsonSchemaOf(result), 'Result'),
  ];
}

function pathFact(operation: OperationDefinition): string {
  return `Path: ${code(operationPath(dialects.spec, operation))}, compatible ${code(operationPath(dialects.turnkey, operation))}`;
}

/** Other types of an activity, and whether only the compatible path takes them. */
function typesFact(activity: ActivityDefinition, age: string, versions: readonly ActivityVersion[]): string[] {
  const onBoth = dialects.spec.acceptedVersions(activity);
  const line = (where: string, some: readonly ActivityVersion[]) =>
    some.length === 0 ? [] : [`${age} types${where}: ${some.map(({ type }) => code(type)).join(', ')}`];
  return [
    ...line(
      '',
      versions.filter((version) => onBoth.includes(version)),
    ),
    ...line(
      ' (compatible path)',
      versions.filter((version) => !onBoth.includes(version)),
    ),
  ];
}

function activityWithout(type: string): never {
  throw new Error(`${type} is not among the versions of its activity`);
}

/** The parameters that differ on the compatible path. */
function differences(spec: JsonSchema, compatible: JsonSchema): string {
  const other = Object.entries(compatible.properties ?? {}).filter(
    ([name, field]) => JSON.stringify(field) !== JSON.stringify(spec.properties?.[name]),
  );
  if (other.length === 0) return '';
  return `On the compatible path: ${other.map(([name, field]) => `${code(name)} is ${typeText(field)}`).join(', ')}.`;
}

const readByAll = {
  WHOLE: 'Every user reads it without a policy',
  OWN: 'Every user reads the part that is their own without a policy',
} as const;

function describeQuery(query: QueryDefinition): string[] {
  const { summary, input, output, reads } = query;
  const facts = [
    pathFact(query),
    `In policies: action ${code('READ')}, ${reads.resources.length === 1 ? 'resource' : 'resources'} ${reads.resources.map(code).join(', ')}, kind ${code(queryKind(query))}`,
    ...(reads.always === undefined ? [] : [readByAll[reads.always]]),
  ];
  return [
    `${summary}.`,
    facts.map((fact) => `- ${fact}`).join('\n'),
    fieldTable(jsonSchemaOf(input), 'Field'),
    fieldTable(jsonSchemaOf(output), 'Data'),
  ];
}
