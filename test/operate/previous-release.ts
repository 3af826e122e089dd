import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { deployFolder } from './program.ts';

const root = join(deployFolder, '..');

/** The release before this one. */
export const PREVIOUS = '0.2.0';

/** The commit of a release: its tag or, in a clone without tags, the last commit that prepared it. */
function commitOf(version: string): string {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const tag = `v${version}`;
  if (git('tag', '--list', tag) === tag) return tag;
  const commit = git('log', '--max-count=1', '--format=%H', `--grep=^release: .* ${version}$`);
  if (commit === '') throw new Error(`The test of an upgrade needs the history of ${tag}: run git fetch --tags --unshallow.`);
  return commit;
}

/** Builds the command of a release in a folder, with the dependencies of this clone. Returns its path. */
export function buildRelease(version: string, folder: string): string {
  const parts = ['packages', 'package.json', 'tsconfig.base.json', 'docs', 'scripts'];
  const archive = execFileSync('git', ['archive', commitOf(version), ...parts], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@countersign'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@countersign' && name !== 'countersign') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(folder, 'packages'))) {
    // The packages of this release, in place of those of the clone.
    symlinkSync(join(folder, 'packages', name), join(modules, '@countersign', name));
    const own = join(root, 'packages', name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(folder, 'packages', name, 'node_modules'));
  }
  // The addon is compiled, and optional.
  symlinkSync(join(root, 'packages/native/dist'), join(folder, 'packages/native/dist'));
  // Static pages that another tool builds. The service runs without them.
  mkdirSync(join(folder, 'packages/verify/dist/page'), { recursive: true });
  const conditions = ['--conditions=@countersign/source', '--import', 'tsx'];
  execFileSync(process.execPath, [...conditions, 'bundle.ts'], {
    cwd: join(folder, 'packages/cli'),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return join(folder, 'packages/cli/bin/countersign.js');
}
