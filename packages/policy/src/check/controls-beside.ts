import { controlOf } from '../schema/controls.ts';
import { mapParts, type ReadNode, someNode, type Typed } from './typed.ts';

type Names = ReadonlySet<string>;

const none: Names = new Set();

/** The name of the control that a node reads. */
function controlIn(node: Typed): string | undefined {
  return node.kind === 'read' ? controlOf(node.namespace.path) : undefined;
}

/**
 * Notes at each read of a control which controls must hold together with it: those of the `&&` around it. In an expression that denies, the
 * roles of `&&` and `||` are exchanged: `!controls.a || !controls.b` denies unless both limits are kept.
 * INVARIANT: if the expression allows a request because of a read, the controls that are noted there were kept as the expression demands.
 * So a limit in another branch of `||` does not count. If in doubt, fewer controls are noted.
 */
export function withControlsBeside(typed: Typed, denies: boolean): Typed {
  if (!someNode(typed, (node) => controlIn(node) !== undefined)) return typed;
  return note(typed, none, !denies);
}

/** `demanded`: the value of the node that lets a request pass. */
function note(node: Typed, beside: Names, demanded: boolean): Typed {
  const name = controlIn(node);
  if (name !== undefined) return { ...(node as ReadNode), beside: [...union(beside, new Set([name]))] };
  if (node.kind === 'not') return { ...node, operand: note(node.operand, beside, !demanded) };
  if ((node.kind === 'and' || node.kind === 'or') && holdTogether(node.kind, demanded)) {
    const each = node.operands.map((operand) => settledBy(operand, demanded));
    const operands = node.operands.map((operand, index) => {
      const others = each.filter((_, at) => at !== index);
      return note(operand, others.reduce(union, beside), demanded);
    });
    return { ...node, operands };
  }
  return mapParts(node, (part) => note(part, beside, demanded));
}

const holdTogether = (kind: 'and' | 'or', demanded: boolean) => (kind === 'and') === demanded;

/** The controls whose values are settled if the node has a value. */
function settledBy(node: Typed, value: boolean): Names {
  const name = controlIn(node);
  if (name !== undefined) return new Set([name]);
  if (node.kind === 'not') return settledBy(node.operand, !value);
  if (node.kind === 'oneOf') return settledBy(node.operand, value);
  if (node.kind !== 'and' && node.kind !== 'or') return none;
  const each = node.operands.map((operand) => settledBy(operand, value));
  if (holdTogether(node.kind, value)) return each.reduce(union, none);
  const [first = none, ...rest] = each;
  return new Set([...first].filter((control) => rest.every((names) => names.has(control))));
}

function union(a: Names, b: Names): Names {
  return b.size === 0 ? a : new Set([...a, ...b]);
}
