import type { Typed } from '../check/typed.ts';
import type { CompiledPolicy } from '../policy.ts';
import { chainSchemas } from '../schema/chains.ts';
import { formatString } from '../syntax/format.ts';
import { allNodes, fieldOf } from './nodes.ts';
import type { PolicyWarning } from './warning.ts';

/** Hexadecimal fields with and without the prefix 0x. */
const prefixed = new Set(chainSchemas.flatMap(({ hexFields }) => hexFields.prefixed));
const bare = new Set(chainSchemas.flatMap(({ hexFields }) => hexFields.bare));

/** The known shape of a text that is compared. */
interface Shape {
  readonly prefix?: boolean;
  readonly length?: number;
}

/** Warns about literals that a text can never equal: a selector without 0x, a slice of another length. */
export function deadComparisons(policy: CompiledPolicy): readonly PolicyWarning[] {
  if (policy.condition === undefined) return [];
  const { typed, text } = policy.condition;
  return allNodes(typed).flatMap((node): readonly PolicyWarning[] => {
    if (node.kind !== 'oneOf') return [];
    const { operand, values, negated, span } = node;
    const shape = shapeOf(operand);
    const literals = [...values].filter((value) => typeof value === 'string');
    const dead = shape === undefined ? undefined : literals.find((literal) => problem(literal, shape) !== undefined);
    if (shape === undefined || dead === undefined) return [];
    const subject = text.slice(operand.span.start, operand.span.end);
    const always = negated ? 'so this is always true' : 'so this is never true';
    const { why, help } = problem(dead, shape) as Problem;
    return [
      {
        code: 'DEAD_COMPARISON',
        policyId: policy.id,
        field: 'condition',
        span,
        message: `\`${subject}\` ${why}, and ${formatString(dead)} does not: ${always}`,
        help,
        example: { [subject]: sample(dead, shape) },
      },
    ];
  });
}

interface Problem {
  readonly why: string;
  readonly help: string;
}

function problem(literal: string, { prefix, length }: Shape): Problem | undefined {
  const has = literal.startsWith('0x');
  if (prefix === true && !has) return { why: 'begins with 0x', help: `write ${formatString(`0x${literal}`)}` };
  if (prefix === false && has) return { why: 'is hex without 0x', help: `write ${formatString(literal.slice(2))}` };
  const own = [...literal].length;
  if (length === undefined || own === length) return undefined;
  return { why: `has ${length} characters`, help: `take a slice of ${own} characters, or a literal of ${length}` };
}

function shapeOf(node: Typed): Shape | undefined {
  if (node.kind !== 'slice') {
    const field = fieldOf(node);
    if (field === undefined) return undefined;
    return prefixed.has(field) ? { prefix: true } : bare.has(field) ? { prefix: false } : undefined;
  }
  const { base, from, to } = node;
  if (from.kind !== 'constant' || to.kind !== 'constant' || base.type.kind !== 'string') return undefined;
  if (typeof from.value !== 'bigint' || typeof to.value !== 'bigint') return undefined;
  const length = Number(to.value - from.value);
  const whole = from.value === 0n ? shapeOf(base) : undefined;
  return { length, ...(whole?.prefix !== undefined && { prefix: whole.prefix }) };
}

/** An example of the text in a request. */
function sample(literal: string, { prefix, length }: Shape): string {
  const digits = literal.replace(/^0x/, '');
  const text = prefix === true ? `0x${digits}` : prefix === false ? digits : literal;
  return length === undefined ? text : text.slice(0, length).padEnd(length, '0');
}
