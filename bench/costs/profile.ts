import { readFileSync } from 'node:fs';
import { type Centre, centreOf, centres } from './centres.ts';

/** The parts of a CPU profile of V8 that are read here. */
interface Profile {
  readonly nodes: readonly ProfileNode[];
  /** The node of each sample, and the microseconds since the sample before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** The microseconds that each centre was seen at work. */
export function microsOf(file: string): ReadonlyMap<Centre, number> {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const moduleAt = createModules();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const known = new Map<number, Centre | 'nothing'>();

  function centreAt(id: number | undefined): Centre | 'nothing' {
    const node = id === undefined ? undefined : byId.get(id);
    if (node === undefined) return 'other';
    const found = known.get(node.id);
    if (found !== undefined) return found;
    const { functionName, url, lineNumber } = node.callFrame;
    const centre = centreOf(`${moduleAt(url, lineNumber)}#${functionName}`) ?? centreAt(parents.get(node.id));
    known.set(node.id, centre);
    return centre;
  }

  const micros = new Map<Centre | 'nothing', number>();
  samples.forEach((id, index) => {
    const centre = centreAt(id);
    micros.set(centre, (micros.get(centre) ?? 0) + (timeDeltas[index] ?? 0));
  });
  return new Map(centres.map((centre) => [centre, micros.get(centre) ?? 0]));
}

/** Finds modules as `package/path`. The bundle names the source of each module in a comment before it. */
function createModules(): (url: string, line: number) => string {
  const files = new Map<string, readonly string[]>();

  function modulesOf(url: string): readonly string[] {
    let current = ownPath(url);
    return readFileSync(new URL(url), 'utf8')
      .split('\n')
      .map((line) => {
        const from = /^\/\/ (\S+\.[cm]?[jt]s)$/.exec(line)?.[1];
        if (from !== undefined) current = ownPath(from);
        return current;
      });
  }

  return (url, line) => {
    if (!url.startsWith('file:')) return url;
    const lines = files.get(url) ?? modulesOf(url);
    files.set(url, lines);
    return lines[line] ?? '';
  };
}

/** `package/path` of a module of ours, `modules/path` of a library. */
function ownPath(path: string): string {
  const library = path.lastIndexOf('node_modules/');
  if (library !== -1) return `modules/${path.slice(library + 'node_modules/'.length)}`;
  return /([^/]+)\/(?:src|dist)\/(.*)$/.exec(path)?.slice(1).join('/') ?? path;
}
