import type { OneOfNode, OrderNode } from '../check/typed.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { EvaluationError } from '../evaluate/evaluation-error.ts';
import { cutText, showValue } from './show-value.ts';
import type { Trace } from './trace.ts';

const MAX_REASONS = 8;

const opposite: Readonly<Record<OrderNode['operator'], string>> = {
  '<': 'below',
  '<=': 'at most',
  '>': 'above',
  '>=': 'at least',
};

/** Why a traced expression is not true: one sentence for each comparison that failed. */
export function reasonsAgainst(trace: Trace, text: string, values: NamespaceValues): readonly string[] {
  return [...new Set(collect(trace, text, values))].slice(0, MAX_REASONS);
}

function collect(trace: Trace, text: string, values: NamespaceValues): readonly string[] {
  const { node, value, parts } = trace;
  if (value === true) return [];
  const source = sourceOf(trace, text);
  const below = parts.flatMap((part) => (part.trace.value === true ? [] : [part]));
  if (value instanceof EvaluationError) {
    const deeper = below
      .filter((part) => part.trace.value instanceof EvaluationError)
      .flatMap((part) => collect(part.trace, text, values));
    return deeper.length > 0 ? deeper : [`\`${source}\` has no value: ${value.message}`];
  }
  switch (node.kind) {
    case 'and':
    case 'or': {
      const deeper = below.flatMap((part) => collect(part.trace, text, values));
      // A long explanation does not record every part.
      return deeper.length > 0 ? deeper : [`\`${source}\` is false`];
    }
    case 'oneOf':
      return [oneOfReason(node, trace, text)];
    case 'order': {
      const left = parts.find((part) => part.trace.node === node.left)?.trace;
      const right = parts.find((part) => part.trace.node === node.right)?.trace;
      const bound = right === undefined ? cutText(text.slice(node.right.span.start, node.right.span.end)) : shown(right);
      if (left === undefined || left.value === undefined) return [`\`${source}\` is false`];
      return [`\`${sourceOf(left, text)}\` was ${shown(left)}; it must be ${opposite[node.operator]} ${bound}`];
    }
    case 'each': {
      const failed = below.find(({ element }) => element !== undefined);
      if (node.quantifier === 'no') {
        const hit = parts.find(({ element, trace: { value: held } }) => element !== undefined && held === true);
        const which = hit?.element === undefined ? 'an element' : `${node.variable} number ${hit.element.index}`;
        return [`${which} satisfies \`${cutText(text.slice(node.body.span.start, node.body.span.end), 160)}\``];
      }
      if (node.quantifier !== 'every' || failed?.element === undefined) return [`no element satisfies \`${source}\``];
      return collect(failed.trace, text, values).map(
        (reason) => `${node.variable} number ${failed.element?.index ?? 0}: ${reason}`,
      );
    }
    default: {
      const note = noteOf(trace, values);
      return [`\`${source}\` is false${note === undefined ? '' : `: it ${note}`}`];
    }
  }
}

/** The note about a value that was read, or about its negation. */
export function noteOf({ node, value }: Trace, values: NamespaceValues): string | undefined {
  const read = node.kind === 'not' ? node.operand : node;
  return read.kind === 'read' && typeof value === 'boolean' ? values.note?.(read.namespace.path) : undefined;
}

function oneOfReason(node: OneOfNode, trace: Trace, text: string): string {
  const operand = trace.parts.find((part) => part.trace.node === node.operand)?.trace;
  const wanted = [...node.values].slice(0, 5).map((value) => showValue(value));
  const list =
    node.values.size > wanted.length
      ? `one of ${wanted.join(', ')} and ${node.values.size - wanted.length} more`
      : wanted.join(' or ');
  if (operand === undefined) return `\`${sourceOf(trace, text)}\` is false`;
  const has = node.negated ? 'must not be' : 'must be';
  return `\`${sourceOf(operand, text)}\` was ${shown(operand)}; it ${has} ${list}`;
}

function shown(trace: Trace): string {
  return trace.value === undefined || trace.value instanceof EvaluationError
    ? 'unknown'
    : showValue(trace.value, trace.node.type);
}

/** The source text of a node. */
export function sourceOf({ node }: Trace, text: string): string {
  return cutText(text.slice(node.span.start, node.span.end), 160);
}
