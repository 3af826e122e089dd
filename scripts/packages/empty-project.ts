import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Makes a folder that npm takes for a project, with nothing in it. */
export async function makeEmptyProject(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/package.json`, JSON.stringify({ private: true, type: 'module' }));
}

/**
 * The environment without what npm adds for its scripts, which would be taken for settings of another npm. The rest stays: some
 * machines reach the registry only with certificates or a proxy that variables name, and without them npm repeats each request for
 * minutes.
 */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
}

/** Installs into a project, and gives what npm says. A download that stalls is asked for again. */
export async function npmInstall(project: string, argv: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-timeout=30000'];
  // A registry that does not answer must not hold a trial for longer than compiling takes.
  const options = { cwd: project, env, timeout: 900_000, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run('npm', ['install', ...flags, ...argv], options);
  return stdout.trim();
}

export const secondsSince = (started: number) => `${((performance.now() - started) / 1000).toFixed(1)} s`;
