import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Creates an empty npm project. */
export async function makeEmptyProject(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/package.json`, JSON.stringify({ private: true, type: 'module' }));
}

/**
 * The environment without the variables that npm sets for its scripts, because another npm reads them as settings. The rest stays: some
 * machines need a proxy or certificates from variables to reach the registry, and without them npm retries each request for minutes.
 */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
}

/** Installs into a project and returns the output of npm. Retries downloads that stall. */
export async function npmInstall(project: string, argv: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-timeout=30000'];
  // A registry that does not answer must not delay a trial for longer than compilation takes.
  const options = { cwd: project, env, timeout: 900_000, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run('npm', ['install', ...flags, ...argv], options);
  return stdout.trim();
}

export const secondsSince = (started: number) => `${((performance.now() - started) / 1000).toFixed(1)} s`;
