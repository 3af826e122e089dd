import { z } from 'zod';
import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema of `countersign.yaml`, for editors. */
export function configFileSchema(): JsonSchema {
  const properties = Object.entries<Setting>(settings).flatMap(([name, setting]) => [
    [name, { description: setting.describe, ...valueSchema(setting) }],
    [`${name}File`, { description: `File with the value of ${name}`, type: 'string' }],
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'countersign.yaml',
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

function valueSchema({ schema, form, default: preset = '' }: Setting): JsonSchema {
  if (form === 'list') return { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] };
  if (form === 'json') return { type: ['array', 'object', 'string'] };
  if (preset === 'true' || preset === 'false') return { type: 'boolean', default: preset === 'true' };
  const { enum: choices } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  // YAML reads 1.3 as a number.
  if (choices !== undefined) {
    const numbers = choices.map(Number).filter(Number.isFinite);
    const booleans = choices.includes('true') ? [true, false] : [];
    return { enum: [...choices, ...numbers, ...booleans] };
  }
  const { type, minimum, maximum } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  if (type === 'number') return { type: 'integer', minimum, maximum, ...(preset !== '' && { default: Number(preset) }) };
  return { type: ['string', 'number'], ...(preset !== '' && { default: preset }) };
}
