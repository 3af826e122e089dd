import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packInto } from '../test/repository/packages/packed.ts';
import { makeEmptyProject, npmInstall, ownEnvironment, secondsSince } from './packages/empty-project.ts';
import { runGuides } from './packages/run-guides.ts';

/**
 * npm run packages:try: does what a new user does. Packs the packages, installs the command into an empty project, starts the service,
 * logs in and runs the guides that end with a signature, each with `npx`. Prints a transcript with sizes and times.
 */
const GUIDES = ['docs/guide/start.md', 'docs/guide/treasury.md'];
const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} kB`;
const folder = await mkdtemp(join(tmpdir(), 'countersign-tarballs-'));
try {
  const packed = await packInto(folder);
  console.log('| Tarball | packed | files |\n|---|---|---|');
  for (const { name, filename, files } of packed)
    console.log(`| ${name} | ${kilobytes((await stat(join(folder, filename))).size)} | ${files.length} |`);

  const project = join(folder, 'project');
  await makeEmptyProject(project);
  // The packages of ours that the command depends on come as tarballs, too: the registry may not have this version.
  const needed = packed.filter(({ name }) => ['countersign', '@countersign/native'].includes(name));
  const started = performance.now();
  const answer = await npmInstall(
    project,
    ['--omit=dev', ...needed.map(({ filename }) => join(folder, filename))],
    ownEnvironment(),
  );
  const bytes = await sizeOf(join(project, 'node_modules'));
  console.log(`\n$ npm install ${needed.map(({ filename }) => filename).join(' ')}`);
  console.log(`${answer.split('\n')[0]}: ${secondsSince(started)}, ${(bytes / 2 ** 20).toFixed(0)} MB on disk\n`);
  if (!(await runGuides(project, GUIDES))) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name)));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}
