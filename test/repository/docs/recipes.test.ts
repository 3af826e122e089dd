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
  /** Recipes for more of the same thing. Their files may have the names too. */
  readonly besides?: readonly string[];
  /** Every file in this folder may have the names. */
  readonly folder?: string;
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
  'Add a chain': {
    placeholders: { chain: 'tron' },
    names: ['tron', 'Tron', 'TRON', 'TRX'],
    besides: ['Add an address format', 'Send transactions of a chain'],
    folder: 'packages/chains/src/tron/',
  },
  'Add a root key provider': { placeholders: { provider: 'passphrase' }, names: ['passphraseProvider', 'rootPassphrase'] },
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

// The console and the tools for agents offer a choice of common operations, formats and chains. A new one works without being offered.
const sourceFolders = [
  'scripts',
  ...readdirSync(join(root, 'packages'))
    .filter((name) => name !== 'console' && name !== 'mcp')
    .map((name) => `packages/${name}/src`),
].filter((folder) => existsSync(join(root, folder)));

/** The connection to nodes of a chain is a recipe of its own: the service signs for chains that it does not connect to. */
const ofNodes = [
  'packages/server/src/chain-nodes/',
  'packages/server/src/config/chain-endpoints.ts',
  'packages/contract/src/queries/chains/get-fee-suggestion.ts',
];

const sources = sourceFolders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
    .filter((file) => !ofNodes.some((other) => file.startsWith(other)))
    // Nobody writes it: `npm run docs` makes it from the contract, and its check finds an old one.
    .filter((file) => file !== 'packages/client/src/operations.ts'),
);

describe.each(Object.entries(made))('%s', (recipe, { placeholders, names, besides = [], folder }) => {
  const files = filesOf(recipe, placeholders);

  test('every file of the recipe exists', () => {
    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('the recipe lists the sources that name such a thing, and no others', () => {
    const further = besides.flatMap((other) => filesOf(other, placeholders));
    expect(further.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    // A file can be in both recipes.
    const naming = sources.filter((file) => mentions(file, names) && (files.includes(file) || !further.includes(file)));
    const others = naming.filter((file) => files.includes(file) || folder === undefined || !file.startsWith(folder));
    expect(files.filter((file) => sourceFolders.some((source) => file.startsWith(`${source}/`))).sort()).toEqual(others.sort());
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
    copy = copySource(root, ['contract', 'judgement', 'server', 'verify']);
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
       import { buildRoutes } from './http/api/routes.ts';
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

describe('a chain that is added with the listed files alone', () => {
  const { placeholders, folder = '' } = made['Add a chain'] as Made;
  const names = { tron: 'nort', Tron: 'Nort', TRON: 'NORT', TRX: 'NRX', "'sun'": "'nus'" };
  const renamed = (text: string) => Object.entries(names).reduce((result, [name, other]) => result.replaceAll(name, other), text);
  /** A table has a line for each entry, or all its entries in one line. */
  const withEntry = (line: string) => {
    if (line === renamed(line)) return line;
    return line.startsWith('export const') ? line.replace(/'?tron'?, /, (entry) => entry + renamed(entry)) : line + renamed(line);
  };
  let copy: Copy | undefined;
  afterAll(() => copy?.remove());

  test('compiles, and is on the wire, in the policy language and in the console', async () => {
    const packages = ['chains', 'console', 'contract', 'judgement', 'policy', 'verify'];
    copy = copySource(root, packages);
    const listed = [...filesOf('Add an address format', placeholders), ...filesOf('Add a chain', placeholders)];
    const own = sources.filter((file) => file.startsWith(folder));
    const written = new Set([...listed, ...own].filter((file) => file.startsWith('packages/') && file.includes('/src/')));
    for (const file of written) {
      const text = copy.read(file);
      if (file === renamed(file) && !file.startsWith(folder)) copy.write(file, text.replace(/^.*\n/gm, withEntry));
      else copy.write(renamed(file), renamed(text));
    }
    copy.write(
      'packages/judgement/src/probe.ts',
      `import { chains, shippedTokens, transactionTypes } from '@countersign/chains';
       import { transactionType } from '@countersign/contract';
       import { language } from '@countersign/policy';
       import { normalizers } from './index.ts';
       console.log(JSON.stringify({
         wire: transactionType.options.filter((name) => name.endsWith('_NORT')),
         parser: 'TRANSACTION_TYPE_NORT' in transactionTypes,
         tokens: [...shippedTokens.keys()].filter((id) => id.startsWith('nort:')).length,
         namespace: language.namespaces.some(({ path }) => path === chains.nort.namespace),
         units: language.units.filter(({ chain }) => chain === 'nort').map(({ name }) => name),
         literals: normalizers.nort !== undefined,
       }));`,
    );
    copy.write(
      'tsconfig.json',
      JSON.stringify({
        extends: join(root, 'tsconfig.base.json'),
        compilerOptions: {
          composite: false,
          noEmit: true,
          rewriteRelativeImportExtensions: false,
          allowImportingTsExtensions: true,
          lib: ['es2023', 'dom'],
        },
        include: [
          ...packages.filter((name) => name !== 'console' && name !== 'mcp').map((name) => `packages/${name}/src`),
          'packages/console/src/pages/wallets/chains.ts',
        ],
      }),
    );
    const run = promisify(execFile);
    const { stdout: diagnostics } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: copy.folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(diagnostics).toBe('');
    const options = ['--conditions=@countersign/source', '--import', 'tsx', 'packages/judgement/src/probe.ts'];
    const { stdout } = await run(process.execPath, options, { cwd: copy.folder });
    expect(JSON.parse(stdout)).toEqual({
      wire: ['TRANSACTION_TYPE_NORT'],
      parser: true,
      tokens: 1,
      namespace: true,
      units: ['NRX', 'nus'],
      literals: true,
    });
  });
});

test('the base path of the compatible dialect is written once', () => {
  const base = '/compat/turnkey';
  expect(sources.filter((file) => readFileSync(join(root, file), 'utf8').includes(base))).toEqual([
    'packages/contract/src/dialects.ts',
  ]);
});
