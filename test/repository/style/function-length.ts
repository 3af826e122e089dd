import { parseAst } from 'vitest/node';

export interface FunctionLength {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Every function of a TypeScript source, inner functions included, with its length in lines. */
export function functionLengths(source: string, lang: 'ts' | 'tsx' = 'ts'): FunctionLength[] {
  const lineOf = lineCounter(source);
  const found: FunctionLength[] = [];
  const visit = (node: Node, name: string): void => {
    if (functionTypes.has(node.type)) {
      const line = lineOf(node.start);
      found.push({ name: nameOf(node) ?? name, line, lines: lineOf(node.end) - line + 1 });
    }
    const childName = nameOf(node) ?? name;
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, childName);
    }
  };
  visit(parseAst(source, { lang }) as Node, '(module)');
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';

/** The name that a declaration, property or method gives to the function inside it. */
function nameOf(node: Node): string | undefined {
  const { id, key } = node as { id?: { name?: string } | null; key?: { name?: string } | null };
  return id?.name ?? key?.name;
}

function lineCounter(source: string): (offset: number) => number {
  const ends = [...source.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
