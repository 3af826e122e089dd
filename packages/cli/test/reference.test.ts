import { readdir, readFile } from 'node:fs/promises';
import { type ActivityDefinition, activities, type QueryDefinition, queries } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import type { Examples } from '../../../scripts/reference/examples.ts';
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

describe('examples', () => {
  const examples: Examples = JSON.parse(pages.get('examples.json') ?? '{}');
  const names = [...Object.keys(activities), ...Object.keys(queries)];

  test('every operation has one, and nothing else does: "npm run examples" records them', () => {
    expect(Object.keys(examples)).toEqual(names.sort());
  });

  test.each(Object.values<ActivityDefinition>(activities))(
    '$name answers as its tables say',
    ({ name, type, subject, result }) => {
      const { request, response } = examples[name] ?? {};
      expect(request.type).toBe(type);
      // A vote answers with the activity that it is for.
      if (subject === 'consensus') return;
      const { status, result: shown } = response.activity;
      expect(status).toBe('ACTIVITY_STATUS_COMPLETED');
      expect(shown.activity.intent).toHaveProperty(`${name}Intent`);
      const own = shown.activity.result[`${name}Result`];
      expect(result.parse(own)).toEqual(own);
    },
  );

  test.each(Object.values<QueryDefinition>(queries))('$name answers as its tables say', ({ name, input, output }) => {
    const { request, response } = examples[name] ?? {};
    expect(input.parse(request)).toEqual(request);
    expect(output.parse(response.activity.result)).toEqual(response.activity.result);
  });
});
