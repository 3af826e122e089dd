import { bodyBounds, type OperationDefinition } from '@countersign/contract';
import { defaultJsonLimits, type JsonLimits } from '@countersign/strict-json';

/** Members beyond the schema that are still parsed, so that the schema's error can name the unknown one. */
const MORE_DEPTH = 2;
const MORE_VALUES = 16;

const made = new WeakMap<OperationDefinition, JsonLimits>();

/**
 * Parser limits for the body of an operation: twice the bounds of its schema. A body that is slightly too large receives the schema's
 * error, which names the field. Parsing stops at these limits.
 * SECURITY: the sender is not authenticated yet.
 */
export function jsonLimitsOf(definition: OperationDefinition): JsonLimits {
  const known = made.get(definition);
  if (known !== undefined) return known;
  const { depth, values, text, items } = bodyBounds(definition);
  const limits = Object.freeze({
    ...defaultJsonLimits,
    depth: Math.min(defaultJsonLimits.depth, depth + MORE_DEPTH),
    values: Math.min(defaultJsonLimits.values, 2 * values + MORE_VALUES),
    text: 2 * text,
    items: 2 * items + MORE_VALUES,
  });
  made.set(definition, limits);
  return limits;
}
