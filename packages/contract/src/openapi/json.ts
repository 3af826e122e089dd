/** A part of the document. */
export type Json = Record<string, unknown>;

/** What references to schemas begin with. */
export const componentPrefix = '#/components/schemas/';

/** A reference to a schema of the document. */
export const reference = (name: string): Json => ({ $ref: componentPrefix + name });

/** An object with exactly these properties. All are required except the `optional` ones. */
export const closed = (properties: Json, optional: readonly string[] = []): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

/** The content of a body. */
export const content = (schema: Json, example?: unknown): Json => ({
  'application/json': example === undefined ? { schema } : { schema, example },
});

/** The name with a capital first letter. */
export const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
