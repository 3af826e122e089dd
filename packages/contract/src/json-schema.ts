import { z } from 'zod';
import { secretMark } from './secrets.ts';

/** The part of JSON Schema 2020-12 that the contract uses. */
export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
  /** The name of a shared shape. */
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Whether the value is secret. See `secret`. */
  readonly [secretMark]?: boolean;
}

/**
 * The JSON Schema of a request or response as one tree, without references. Shared shapes have their name as `title`. For code that
 * walks a schema: the command line, the reference and the examples.
 */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  // A schema with a name becomes a reference only inside another schema, hence the wrapper.
  const { properties, $defs = {} } = z.toJSONSchema(z.object({ schema }), { target: 'draft-2020-12', io: 'input' });
  return inline(properties?.schema, $defs) as JsonSchema;
}

const definitions = '#/$defs/';

function inline(node: unknown, $defs: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(node)) return node.map((item) => inline(item, $defs));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...own } = node as Record<string, unknown>;
  const fields = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, inline(value, $defs)]));
  if (typeof $ref !== 'string') return fields;
  const title = $ref.slice(definitions.length);
  return { title, ...(inline($defs[title], $defs) as object), ...fields };
}
