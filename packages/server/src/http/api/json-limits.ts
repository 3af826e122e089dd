import { bodyBounds, type OperationDefinition } from '@countersign/contract';
import { defaultJsonLimits, type JsonLimits } from '@countersign/strict-json';

/** What an object or array more than a schema takes is still read. Then the schema can say which member it does not know. */
const MORE_DEPTH = 2;
const MORE_VALUES = 16;

const made = new WeakMap<OperationDefinition, JsonLimits>();

/**
 * What is read of the body of an operation at most: twice what its schema takes. A body that is a little too large gets the answer of the
 * schema, which names the field. One that is far too large is read no further.
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
