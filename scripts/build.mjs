// npm run build: builds all packages. Skips each step whose inputs are unchanged since its last build.
// --run: only what the command needs, without types and modules for other programs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stampFile = join(root, 'node_modules/.cache/countersign-build.json');
const tsx = ['--conditions=@countersign/source', '--import', 'tsx'];
const run = (file, cwd = dirname(file)) => ({ args: [...tsx, join(root, file)], cwd });
const bin = (file, cwd, ...args) => ({ args: [join(root, 'node_modules', file), ...args], cwd });

const sources = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`);

/** In order: the bundle contains the pages. */
const steps = [
  {
    name: 'the verifier page',
    inputs: [...sources, 'packages/verify/page'],
    outputs: ['packages/verify/dist/page/page.js'],
    commands: [run('packages/verify/page/build.ts')],
  },
  {
    name: 'the console',
    inputs: [...sources, ...['build', 'index.html', 'vite.config.ts', 'package.json'].map((name) => `packages/console/${name}`)],
    outputs: ['packages/console/dist/index.html', 'packages/console/dist/index.html.br'],
    commands: [
      bin('vite/bin/vite.js', 'packages/console', 'build', '--logLevel', 'warn'),
      run('packages/console/build/prover.ts', 'packages/console'),
      run('packages/console/build/worker.ts', 'packages/console'),
      run('packages/console/build/compress.ts', 'packages/console'),
    ],
  },
  {
    name: 'the documentation',
    inputs: [
      'docs',
      'README.md',
      'SECURITY.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'scripts/site',
      'scripts/build-site.ts',
      'packages/console/src/look',
    ],
    outputs: ['packages/docs/dist/index.html'],
    commands: [{ args: [...tsx, join(root, 'scripts/build-site.ts')], cwd: '.' }],
  },
  {
    name: 'the command',
    inputs: [
      ...sources,
      'packages/verify/page',
      'packages/console/dist',
      'packages/docs/dist',
      'packages/cli/bundle.ts',
      'packages/cli/package.json',
    ],
    outputs: ['packages/cli/run/main.js'],
    commands: [run('packages/cli/bundle.ts')],
  },
];

/** A hash of all files in the given folders and of the versions of the dependencies. */
function fingerprint(inputs) {
  const hash = createHash('sha256');
  for (const input of ['package-lock.json', ...inputs]) {
    const path = join(root, input);
    if (!existsSync(path)) continue;
    for (const file of filesIn(path)) hash.update(`${file}\0`).update(createHash('sha256').update(readFileSync(file)).digest());
  }
  return hash.digest('hex');
}

function filesIn(path) {
  let entries;
  try {
    entries = readdirSync(path, { recursive: true, withFileTypes: true });
  } catch {
    return [path];
  }
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return files.sort();
}

function readStamps() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

/** Ends this process with the status of a command that failed. */
function execute({ args, cwd }) {
  const { status } = spawnSync(process.execPath, args, { cwd: join(root, cwd), stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

const runOnly = process.argv.includes('--run');
// tsc skips what is unchanged on its own. 'npm run typecheck' checks types, which takes more than twice as long.
// The command loads @countersign/native as a package, so it needs the modules of that one too.
// packages/mcp is apart: neither the command nor another package needs it or its dependencies.
execute(bin('typescript/bin/tsc', '.', '-b', '--noCheck', ...(runOnly ? ['packages/native'] : ['.', 'packages/mcp'])));
const stamps = readStamps();
for (const { name, inputs, outputs, commands } of steps) {
  const stamp = fingerprint(inputs);
  if (stamps[name] === stamp && outputs.every((output) => existsSync(join(root, output)))) continue;
  if (runOnly) process.stderr.write(`building ${name}\n`);
  for (const command of commands) execute(command);
  stamps[name] = stamp;
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, JSON.stringify(stamps));
}
