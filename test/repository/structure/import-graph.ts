import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What each source file of a folder imports of the same folder, type imports included. Paths are relative to the folder. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

const IMPORT = /(?:^|\n)(?:import|export)\s(?:[^'";]*?\sfrom\s)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/g;

export function readImportGraph(folder: string): ImportGraph {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  return new Map(
    files.map((file) => {
      const source = readFileSync(join(folder, file), 'utf8');
      const imported = [...source.matchAll(IMPORT)].map(([, named, lazy]) =>
        relative(folder, join(folder, dirname(file), named ?? lazy ?? '')),
      );
      return [file, imported];
    }),
  );
}

/** The files of each circle: those that import each other, directly or by way of others (Tarjan's strongly connected components). */
export function circlesOf(graph: ImportGraph): string[][] {
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];

  function visit(file: string): number {
    const own = index.size;
    index.set(file, own);
    lowest.set(file, own);
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      const reached = index.has(next) ? (stack.includes(next) ? (index.get(next) ?? own) : own) : visit(next);
      lowest.set(file, Math.min(lowest.get(file) ?? own, reached));
    }
    if (lowest.get(file) === own) {
      const circle = stack.splice(stack.indexOf(file));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return lowest.get(file) ?? own;
  }

  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return circles;
}
