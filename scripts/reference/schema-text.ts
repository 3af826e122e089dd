import { type JsonSchema, secretMark } from '@countersign/contract';
import { anchor, code, table } from './markdown.ts';

/** The type of a value in a few words. Shapes with a name are links to the page of shapes. */
export function typeText(schema: JsonSchema): string {
  if (schema.title !== undefined) return `[${schema.title}](shapes.md#${anchor(schema.title)})`;
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ');
  if (schema.type === 'array')
    return `list of ${typeText(schema.items ?? {})}${limits(schema.minItems, schema.maxItems, 'items')}`;
  if (schema.type === 'object') return objectText(schema);
  if (schema.type === 'string') return stringText(schema);
  if (schema.type === 'integer') return `integer${limits(schema.minimum, schema.maximum, '')}`;
  const type: unknown = schema.type ?? 'any';
  // A value that may be null has two types.
  return Array.isArray(type) ? type.join(' or ') : String(type);
}

function stringText({ format, maxLength }: JsonSchema): string {
  const notes = [format, maxLength === undefined ? undefined : `at most ${maxLength} characters`].filter(
    (note) => note !== undefined,
  );
  return notes.length === 0 ? 'string' : `string (${notes.join(', ')})`;
}

function objectText({ properties }: JsonSchema): string {
  const fields = Object.entries(properties ?? {});
  if (fields.length === 0) return 'object';
  return `object: ${fields.map(([name, field]) => `${code(name)} (${typeText(field)})`).join(', ')}`;
}

function limits(least: number | undefined, most: number | undefined, unit: string): string {
  // Zod limits integers to the safe range of JavaScript. That limit is not specific to the field.
  const top = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  const range =
    top === undefined
      ? least === undefined
        ? ''
        : `at least ${least}`
      : least === undefined
        ? `at most ${top}`
        : `${least} to ${top}`;
  return range === '' ? '' : `, ${range} ${unit}`.trimEnd();
}

/** The fields of an object as a table. */
export function fieldTable({ properties = {}, required = [] }: JsonSchema, head: string): string {
  const rows = Object.entries(properties).map(([name, field]) => [
    code(name),
    typeText(field),
    required.includes(name) ? 'yes' : 'no',
    [field[secretMark] ? '**Secret.**' : '', field.description ?? ''].join(' ').trim(),
  ]);
  return table([head, 'Type', 'Required', 'Notes'], rows);
}

/** Every shape with a name inside a schema, the schema itself included. */
export function namedShapes(schema: JsonSchema, found = new Map<string, JsonSchema>()): Map<string, JsonSchema> {
  if (schema.title !== undefined) found.set(schema.title, schema);
  for (const inner of [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? []), schema.items]) {
    if (inner !== undefined) namedShapes(inner, found);
  }
  return found;
}
