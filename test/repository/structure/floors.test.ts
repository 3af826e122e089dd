import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { circlesOf, readImportGraph } from './import-graph.ts';

const root = join(import.meta.dirname, '../../..');
const packages = readdirSync(join(root, 'packages')).filter((name) => existsSync(join(root, 'packages', name, 'src')));

/** The rooms of the server, the lowest floor first, as CONTRIBUTING draws them. */
function readFloors(): string[][] {
  const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const picture = /```floors\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const rows = picture.trimEnd().split('\n');
  return rows.map((row) => (row.split('│')[0] ?? '').trim().split(/\s+/)).reverse();
}

/** The first folder of a file, or the name of a file outside any folder. */
function roomOf(file: string): string {
  const [room = ''] = file.split('/');
  return room.replace(/\.ts$/, '');
}

describe('floors of the server', () => {
  const floors = readFloors();
  const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map((room): [string, number] => [room, floor])));
  const graph = readImportGraph(join(root, 'packages/server/src'));

  test('the picture in CONTRIBUTING shows every room', () => {
    const rooms = new Set([...graph.keys()].map(roomOf));
    expect([...floorOf.keys()].sort()).toEqual([...rooms].sort());
  });

  test('a room imports only rooms on lower floors', () => {
    const upward = [...graph].flatMap(([file, imported]) =>
      imported
        .filter((target) => roomOf(target) !== roomOf(file))
        .filter((target) => (floorOf.get(roomOf(target)) ?? Infinity) >= (floorOf.get(roomOf(file)) ?? -1))
        .map((target) => `${file} → ${target}`),
    );
    expect(upward).toEqual([]);
  });
});

describe.each(packages)('packages/%s', (name) => {
  const graph = readImportGraph(join(root, 'packages', name, 'src'));

  test('every relative import is found', () => {
    const missing = [...graph].flatMap(([file, imported]) =>
      imported.filter((target) => !graph.has(target)).map((target) => `${file} → ${target}`),
    );
    expect(missing.filter((each) => !/\.(json|css)$/.test(each))).toEqual([]);
  });

  test('no file imports itself by way of others', () => {
    expect(circlesOf(graph)).toEqual([]);
  });
});

test('the circle finder finds circles, and only those', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', []],
    ['e', ['d', 'f']],
    ['f', ['e']],
  ]);
  expect(circlesOf(graph).sort()).toEqual([
    ['a', 'b', 'c'],
    ['e', 'f'],
  ]);
});
