import {
  type ActivityDefinition,
  activities,
  type JsonSchema,
  jsonSchemaOf,
  type QueryDefinition,
  queries,
} from '@countersign/contract';
import { code, page } from './markdown.ts';
import { fieldTable, namedShapes, typeText } from './schema-text.ts';

/** Every named shape of a request or response, in alphabetical order. */
export function shapesPage(): string {
  const found = new Map<string, JsonSchema>();
  for (const { versions, intent, result } of Object.values<ActivityDefinition>(activities)) {
    for (const schema of [...versions.flatMap(({ params, specParams }) => [params.schema, specParams.schema]), intent, result]) {
      namedShapes(jsonSchemaOf(schema), found);
    }
  }
  for (const { input, output } of Object.values<QueryDefinition>(queries)) {
    for (const schema of [input, output]) namedShapes(jsonSchemaOf(schema), found);
  }
  const names = [...found.keys()].sort();
  return page('Shapes', 'packages/contract/src/shapes', [
    'Objects and enumerations that several operations share.',
    ...names.flatMap((name) => [`## ${name}`, describe(found.get(name) ?? {})]),
  ]);
}

function describe({ title: _, ...shape }: JsonSchema): string {
  if (shape.properties !== undefined) return fieldTable(shape, 'Field');
  return shape.enum === undefined ? `${typeText(shape)}.` : shape.enum.map((value) => `- ${code(String(value))}`).join('\n');
}
