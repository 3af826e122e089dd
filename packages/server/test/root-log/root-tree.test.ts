import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { appendLeaves, emptyFrontier, frontierRoot, leafHash, type SignerKey, verifyConsistency } from '@countersign/tlog';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { operatorErrorOf } from '../../../../test/support/operator-error-of.ts';
import { RootTree } from '../../src/root-log/root-tree.ts';

const key: SignerKey = { name: 'root.example', type: 'ed25519', seed: new Uint8Array(32).fill(3) };
const entriesFrom = (start: number, count: number, mark = '') =>
  Array.from({ length: count }, (_, at) => new Uint8Array(Buffer.from(`entry ${start + at}${mark}`)));
const rootOf = (entries: readonly Uint8Array[]) =>
  frontierRoot(
    appendLeaves(
      emptyFrontier,
      entries.map((entry) => leafHash(entry)),
    ).frontier,
  );

function directory(): string {
  const path = makeDataDirectory('root-tree');
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => relative(path, join(each.parentPath, each.name)));

describe('RootTree', () => {
  test('grows over full tiles, is read again after every append, and proves each growth', async () => {
    const path = directory();
    let all: Uint8Array[] = [];
    for (const count of [1, 2, 252, 1, 1, 300, 0, 211]) {
      const tree = await RootTree.open(path, key);
      const { published: before } = tree;
      expect(before.size).toBe(all.length);
      const added = entriesFrom(all.length, count);
      await tree.append(added);
      all = [...all, ...added];
      const { published } = tree;
      expect(Buffer.from(published.root)).toEqual(Buffer.from(rootOf(all)));
      const claim = { oldSize: before.size, oldRoot: before.root, newSize: published.size, newRoot: published.root };
      if (before.size > 0)
        expect(verifyConsistency(claim, await tree.consistencyProof(before.size, published))).toEqual({ ok: true });
    }
    const tree = await RootTree.open(path, key);
    await tree.append(entriesFrom(all.length, 5));
    await tree.append(entriesFrom(all.length + 5, 5));
    expect(Buffer.from(tree.published.root)).toEqual(Buffer.from(rootOf([...all, ...entriesFrom(all.length, 10)])));
    expect((await tree.files.entries(2, 3)).map((entry) => Buffer.from(entry).toString())).toEqual([
      'entry 512',
      'entry 513',
      'entry 514',
    ]);
  });

  test('D572: a process that dies at any write continues from the last signed checkpoint', async () => {
    const before = directory();
    const first = await RootTree.open(before, key);
    await first.append(entriesFrom(0, 250));
    const after = directory();
    cpSync(before, after, { recursive: true });
    await (await RootTree.open(after, key)).append(entriesFrom(250, 10));
    // The order of the writes: entries, hashes, the checkpoint.
    const rank = (file: string) => (file === 'checkpoint' ? 2 : file.startsWith('tile/entries') ? 0 : 1);
    const changed = filesIn(after)
      .filter(
        (file) => !existsSync(join(before, file)) || !readFileSync(join(before, file)).equals(readFileSync(join(after, file))),
      )
      .sort((left, right) => rank(left) - rank(right) || left.localeCompare(right));
    expect(changed.length).toBeGreaterThan(4);
    for (let written = 0; written < changed.length; written++) {
      const killed = directory();
      cpSync(before, killed, { recursive: true });
      for (const file of changed.slice(0, written)) {
        mkdirSync(dirname(join(killed, file)), { recursive: true });
        cpSync(join(after, file), join(killed, file));
      }
      const tree = await RootTree.open(killed, key);
      expect(tree.published).toEqual(first.published);
      // What was interrupted is not part of the log: other entries may follow.
      await tree.append(entriesFrom(250, 7, ' again'));
      const expected = rootOf([...entriesFrom(0, 250), ...entriesFrom(250, 7, ' again')]);
      expect(Buffer.from((await RootTree.open(killed, key)).published.root)).toEqual(Buffer.from(expected));
    }
  });

  test.each([
    [
      'a changed tile',
      (path: string) => writeFileSync(join(path, 'tile/0/000'), Buffer.alloc(statSync(join(path, 'tile/0/000')).size)),
    ],
    ['a short tile', (path: string) => truncateSync(join(path, 'tile/0/000'), 32)],
    ['a missing tile', (path: string) => rmSync(join(path, 'tile/0/000'))],
    [
      'a changed entry',
      (path: string) =>
        writeFileSync(join(path, 'tile/entries/000'), readFileSync(join(path, 'tile/entries/000')).fill(0x31, 5, 6)),
    ],
    ['missing entries', (path: string) => rmSync(join(path, 'tile/entries/000'))],
    ['no checkpoint', (path: string) => rmSync(join(path, 'checkpoint'))],
    [
      'a checkpoint of another key',
      (path: string) =>
        writeFileSync(
          join(path, 'checkpoint'),
          readFileSync(join(path, 'checkpoint'), 'utf8').replace(/ [A-Za-z0-9+/]{8}/, ' AAAAAAAA'),
        ),
    ],
  ])('a directory with %s is refused', async (_, damage) => {
    const path = directory();
    await (await RootTree.open(path, key)).append(entriesFrom(0, 3));
    damage(path);
    expect(await operatorErrorOf(RootTree.open(path, key))).toMatchObject({
      name: 'WitnessError',
      message: expect.stringMatching(/^The root log in .* does not verify: /),
    });
  });
});
