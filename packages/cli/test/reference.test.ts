import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { renderReference } from '../../../scripts/reference/render-reference.ts';

const folder = new URL('../../../docs/reference/', import.meta.url);
const pages = await renderReference();

test('docs/reference has the pages that the tables give, and no others', async () => {
  expect((await readdir(folder)).sort()).toEqual([...pages.keys()].sort());
});

test.each([...pages])('docs/reference/%s is up to date: "npm run docs" writes it', async (name, text) => {
  expect(await readFile(new URL(name, folder), 'utf8')).toBe(text);
});

test('the same sources give the same bytes', async () => {
  expect(await renderReference()).toEqual(pages);
});

test('every link leads to a page and, within it, to a heading', () => {
  for (const [from, text] of pages) {
    for (const [, file = '', heading] of text.matchAll(/\]\(([a-z]+\.md|README\.md)(?:#([a-z0-9-]+))?\)/g)) {
      const target = pages.get(file);
      expect(target, `${from} → ${file}`).toBeDefined();
      const headings = [...(target ?? '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title.toLowerCase().replaceAll(' ', '-'),
      );
      if (heading !== undefined) expect(headings, `${from} → ${file}#${heading}`).toContain(heading);
    }
  }
});
