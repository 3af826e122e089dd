import { type JsonSchema, jsonSchemaOf } from '@countersign/contract';
import type { z } from 'zod';
import { kebabCase } from './naming.ts';
import { type FieldFlag, wordFlags } from './operation-flags.ts';

/** Shapes whose fields become separate flags, because they are used often. */
const spreadShapes: ReadonlySet<string | undefined> = new Set(['PaginationOptions']);

/** Flag names for fields whose own name is taken: `--url` is the address of the service. */
const otherNames: Readonly<Record<string, string>> = { url: 'webhookUrl' };

/** A flag for each field of the schema, except those in `omit`. */
export function flagsOf(schema: z.ZodType, omit: readonly string[] = []): FieldFlag[] {
  const { properties = {}, required = [] } = jsonSchemaOf(schema);
  return Object.entries(properties)
    .filter(([field]) => !omit.includes(field))
    .flatMap(([field, property]) =>
      spreadShapes.has(property.title)
        ? Object.entries(property.properties ?? {}).map(([inner, one]) => ({ ...flagOf(inner, one, false), within: field }))
        : flagOf(field, property, required.includes(field)),
    );
}

function flagOf(field: string, property: JsonSchema, required: boolean): FieldFlag {
  const item = property.type === 'array' ? (property.items ?? {}) : property;
  const kind = kindOf(item);
  const emptyByDefault = required && property.type === 'array' && (property.minItems ?? 0) === 0;
  const attribute = otherNames[field] ?? field;
  const shape = item.title ?? '';
  return {
    field,
    flag: `--${kebabCase(attribute)}`,
    attribute,
    required: required && !emptyByDefault,
    emptyByDefault,
    description: property.description ?? item.description ?? '',
    kind,
    // A list of nested values is one JSON value. A list of scalars is a repeated flag.
    repeatable: property.type === 'array' && kind !== 'json',
    choices: kind === 'json' ? [] : choicesOf(item),
    ...(property.type === 'array' && Object.hasOwn(wordFlags, shape) && { inWords: shape }),
  };
}

function kindOf({ type, anyOf, enum: values, const: value }: JsonSchema): FieldFlag['kind'] {
  if (anyOf !== undefined) {
    const kinds = new Set(anyOf.map(kindOf));
    return kinds.size === 1 ? ([...kinds][0] ?? 'json') : 'json';
  }
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || typeof (values?.[0] ?? value) === 'string') return 'text';
  return 'json';
}

function choicesOf({ anyOf = [], enum: values = [], const: value }: JsonSchema): string[] {
  return [...values, ...(value === undefined ? [] : [value]), ...anyOf.flatMap(choicesOf)].map(String);
}
