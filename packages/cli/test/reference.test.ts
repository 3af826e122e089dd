import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ActivityDefinition, activities, type QueryDefinition, queries } from '@countersign/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Examples } from '../../../scripts/reference/examples.ts';
import { renderReference } from '../../../scripts/reference/render-reference.ts';
import { startWire } from '../../client/test/wire-server.ts';
import { callerEnvironment, runCli } from './run-cli.ts';

const folder = new URL('../../../docs/reference/', import.meta.url);
const pages = await renderReference();
const examples: Examples = JSON.parse(pages.get('examples.json') ?? '{}');

test('docs/reference contains exactly the generated pages', async () => {
  const present = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = present
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(fileURLToPath(folder), join(parentPath, name)));
  expect(files.sort()).toEqual([...pages.keys()].sort());
});

test.each([...pages])('docs/reference/%s is up to date: "npm run docs" writes it', async (name, text) => {
  expect(await readFile(new URL(name, folder), 'utf8')).toBe(text);
});

test('generation is deterministic', async () => {
  expect(await renderReference()).toEqual(pages);
});

test('every link has an existing page and heading', () => {
  for (const [from, text] of pages) {
    for (const [, file = '', heading] of text.matchAll(
      /\]\(((?:\.\.\/)?[a-z-]+(?:\/[a-z0-9-]+)?\.md|README\.md)(?:#([a-z0-9-]+))?\)/g,
    )) {
      const name = posix.join(posix.dirname(from), file);
      if (name.startsWith('..')) continue;
      const target = pages.get(name);
      expect(target, `${from} → ${name}`).toBeDefined();
      const headings = [...(target ?? '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title.toLowerCase().replaceAll(' ', '-'),
      );
      if (heading !== undefined) expect(headings, `${from} → ${name}#${heading}`).toContain(heading);
    }
  }
});

interface Shown {
  readonly name: string;
  readonly command: string;
  readonly stdin: string;
}

// A truncated recorded value cannot be sent.
const shown: readonly Shown[] = [...pages]
  .filter(([name]) => name.startsWith('operations/') && !isCut(name))
  .map(([name, text]) => {
    const [, block = ''] = /### Command line\n\n```sh\n([\s\S]*?)```/.exec(text) ?? [];
    const [, command = '', , stdin = ''] = /^([\s\S]*?)(<<'JSON'\n([\s\S]*?)\nJSON)?\n$/.exec(block) ?? [];
    return { name, command, stdin };
  });

/** Words of each command as a shell parses them. One shell parses all of them, to save startups. */
function readByShell(): string[][] {
  const script = [`countersign() { printf '%s\\0' "$@"; }`, ...shown.map(({ command }) => `${command}\nprintf '\\036'`)];
  const said = execFileSync('bash', { input: script.join('\n'), encoding: 'utf8' });
  return said
    .split('\u001e')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
}

describe('command lines', () => {
  let words: string[][];
  beforeAll(() => {
    words = readByShell();
    expect(words).toHaveLength(shown.length);
  });

  test.each(shown.map((each, index) => ({ ...each, index })))(
    'that of $name sends what was recorded',
    async ({ name, index, stdin }) => {
      const { request } = examples[camelCase(name)] ?? {};
      await using wire = await startWire(() => ({
        status: 500,
        body: { code: 13, message: 'stop here', details: [], errorCode: 'INTERNAL' },
      }));
      const { stderr } = await runCli(words[index] ?? [], { environment: callerEnvironment(wire.url), stdin });
      expect(stderr).toContain('stop here');
      const body = JSON.parse(wire.arrived[0]?.body ?? '');
      const { timestampMs: _, organizationId: __, operation: _____, ...sent } = body;
      const { timestampMs: ___, organizationId: ____, ...recorded } = request;
      expect(namesItself(sent)).toEqual(namesItself(recorded));
    },
  );
});

function isCut(file: string): boolean {
  return JSON.stringify(examples[camelCase(file)]?.request).includes('…');
}

function camelCase(file: string): string {
  return file.replace(/^operations\/|\.md$/g, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The connection provides the organization, so parameters omit it. */
const namesItself = ({ parameters, ...rest }: Record<string, unknown>) => {
  const { organizationId: _, ...own } = (parameters ?? {}) as Record<string, unknown>;
  return { ...rest, parameters: own };
};

describe('examples', () => {
  const names = [...Object.keys(activities), ...Object.keys(queries)];

  test('every operation has one, and no other name does: "npm run examples" records them', () => {
    expect(Object.keys(examples)).toEqual(names.sort());
  });

  test.each(Object.values<ActivityDefinition>(activities))(
    'the response of $name matches its tables',
    ({ name, type, subject, result }) => {
      const { request, response } = examples[name] ?? {};
      expect(request.type).toBe(type);
      // The response to a vote contains its activity.
      if (subject === 'consensus') return;
      const { status, result: shown } = response.activity;
      expect(status).toBe('ACTIVITY_STATUS_COMPLETED');
      expect(shown.activity.intent).toHaveProperty(`${name}Intent`);
      const own = shown.activity.result[`${name}Result`];
      expect(result.parse(own)).toEqual(own);
    },
  );

  test.each(Object.values<QueryDefinition>(queries))('the response of $name matches its tables', ({ name, input, output }) => {
    const { request, response } = examples[name] ?? {};
    expect(input.parse(request)).toEqual(request);
    expect(output.parse(response.activity.result)).toEqual(response.activity.result);
  });
});
