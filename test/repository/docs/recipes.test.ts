import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { type Copy, copySource } from './copy-source.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The files in the table under each heading of CONTRIBUTING. */
const recipes = new Map(
  readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    .split(/^## /m)
    .map((section) => [
      section.split('\n', 1)[0] ?? '',
      [...section.matchAll(/^\| `([^`]+\/[^`]*)` \|/gm)].map(([, file = '']) => file),
    ]),
);

/** Something that exists and was made by a recipe: what its placeholders stand for, and every name it goes by. */
interface Made {
  readonly placeholders: Readonly<Record<string, string>>;
  readonly names: readonly string[];
}

const made: Readonly<Record<string, Made>> = {
  'Add an activity': {
    placeholders: { subject: 'organizations', name: 'update-organization-name' },
    names: ['updateOrganizationName', 'update_organization_name', 'UPDATE_ORGANIZATION_NAME', 'update-organization-name'],
  },
  'Add a query': {
    placeholders: { subject: 'policies', name: 'get-active-policies' },
    names: ['getActivePolicies', 'get_active_policies', 'get-active-policies'],
  },
  'Add an address format': { placeholders: { chain: 'ripple' }, names: ['ADDRESS_FORMAT_XRP', 'ripple'] },
  // In quotes: arrays have a method of this name too. Cases have it as a name.
  'Add a policy builtin': { placeholders: {}, names: ["name: 'filter'", '"name": "filter"'] },
};

const filesOf = (recipe: string, placeholders: Readonly<Record<string, string>>): string[] =>
  (recipes.get(recipe) ?? []).map((file) => file.replace(/<(\w+)>/g, (_, name: string) => placeholders[name] ?? `<${name}>`));

/** Whether a file has one of the names as a word or a part of a type. */
function mentions(file: string, names: readonly string[]): boolean {
  const text = readFileSync(join(root, file), 'utf8');
  return names.some((name) => new RegExp(`(?<![A-Za-z])${name}(?![A-Za-z])`).test(text));
}

// The console offers people a choice of common operations and formats. A new one works without being offered.
const sourceFolders = [
  'scripts',
  ...readdirSync(join(root, 'packages'))
    .filter((name) => name !== 'console')
    .map((name) => `packages/${name}/src`),
].filter((folder) => existsSync(join(root, folder)));

const sources = sourceFolders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
    // Nobody writes it: `npm run docs` makes it from the contract, and its check finds an old one.
    .filter((file) => file !== 'packages/client/src/operations.ts'),
);

describe.each(Object.entries(made))('%s', (recipe, { placeholders, names }) => {
  const files = filesOf(recipe, placeholders);

  test('every file of the recipe exists', () => {
    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('the recipe lists the sources that name such a thing, and no others', () => {
    const naming = sources.filter((file) => mentions(file, names));
    expect(files.filter((file) => sourceFolders.some((folder) => file.startsWith(`${folder}/`))).sort()).toEqual(naming.sort());
  });

  test('the tests and data that the recipe lists have it too', () => {
    const others = files.filter((file) => !sources.includes(file) && !file.endsWith('/'));
    expect(others.filter((file) => !mentions(file, names))).toEqual([]);
  });
});

describe('an activity that is added with the listed files alone', () => {
  const { placeholders, names } = made['Add an activity'] as Made;
  const added = ['renameTwice', 'rename_twice', 'RENAME_TWICE', 'rename-twice'];
  const renamed = (text: string) => names.reduce((result, name, index) => result.replaceAll(name, added[index] as string), text);
  let copy: Copy | undefined;
  afterAll(() => copy?.remove());

  test('is routed in every dialect, described and has its executor', async () => {
    copy = copySource(root, ['contract', 'server', 'verify']);
    for (const file of filesOf('Add an activity', placeholders).filter((name) => sources.includes(name))) {
      const text = copy.read(file);
      if (file !== renamed(file)) copy.write(renamed(file), renamed(text));
      // A table has a line for the import and one for the entry.
      else
        copy.write(
          file,
          text.replace(/^.*\n/gm, (line) => (line === renamed(line) ? line : line + renamed(line))),
        );
    }
    copy.write(
      'packages/server/src/probe.ts',
      `import { activityByType, openApiDocument } from '@countersign/contract';
       import { executors } from './activities/index.ts';
       import { dialectsAt } from './dialects/index.ts';
       import { buildRoutes } from './http/routes.ts';
       console.log(JSON.stringify({
         routes: [...buildRoutes(dialectsAt(false)).keys()].filter((path) => path.endsWith('/rename_twice')),
         described: Object.keys(openApiDocument({ version: '1' }).paths).filter((path) => path.endsWith('/rename_twice')),
         type: activityByType.has('ACTIVITY_TYPE_RENAME_TWICE'),
         executor: 'renameTwice' in executors,
       }));`,
    );
    const run = ['--conditions=@countersign/source', '--import', 'tsx', 'packages/server/src/probe.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, run, { cwd: copy.folder });
    const paths = ['/public/v1/submit/rename_twice', '/compat/turnkey/public/v1/submit/rename_twice'];
    expect(JSON.parse(stdout)).toEqual({ routes: paths, described: paths, type: true, executor: true });
  });
});

test('the base path of the compatible dialect is written once', () => {
  const base = '/compat/turnkey';
  expect(sources.filter((file) => readFileSync(join(root, file), 'utf8').includes(base))).toEqual([
    'packages/contract/src/dialects.ts',
  ]);
});
