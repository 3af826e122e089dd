import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeEmptyProject, npmInstall, ownEnvironment, secondsSince } from '../packages/empty-project.ts';

const run = promisify(execFile);
const OUTPUT = { maxBuffer: 64 * 1024 * 1024 };

/** What one version of Node did with the packed packages. A fault stands where the step's answer would. */
export interface NodeTrial {
  readonly version: string;
  /** How long it took, compiling included. */
  readonly install: string;
  /** How long a new service took until it answered. */
  readonly start: string;
  /** Whether a signature that the service made on SQLite verifies, asked with the client. */
  readonly signature: string;
  /** `loads`, or why the addon is not in use. */
  readonly native: string;
  readonly command: string;
  /** The first examples of the packages' READMEs that ran. */
  readonly examples: string;
  /** How many tests of the packages without native parts passed. */
  readonly tests: string;
}

/** Installs a version of Node and `packages`, as npm names them, into `folder`, and runs the service, the command, the client, the README examples and tests. */
export async function tryNode(major: string, folder: string, packages: readonly string[]): Promise<NodeTrial> {
  const node = await installNode(major, join(folder, 'node'));
  const project = join(folder, 'project');
  const environment = {
    ...ownEnvironment(),
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    // Addons are compiled against the headers of the Node under test, which come in its package.
    npm_config_nodedir: join(dirname(node), '..'),
    JOBS: 'max',
    // Its prebuilt files lie outside of the registry. Compiled, the trial needs the registry alone.
    npm_config_build_from_source: 'better-sqlite3',
    // The trial asks whether the addons work, not how fast. Compilers take four times as long to optimize SQLite.
    CFLAGS: '-O0',
    CXXFLAGS: '-O0',
  };
  await makeEmptyProject(project);
  const started = performance.now();
  // What is optional is large, and not under trial.
  await npmInstall(project, ['--omit=optional', ...packages], environment);
  const install = secondsSince(started);
  const service = await tryService(node, project);
  return { ...service, install, examples: await runExamples(node, project), tests: await runTests(node) };
}

/** The registry has Node's programs as packages, with headers. Gives the program itself and not the link to it. */
async function installNode(major: string, folder: string): Promise<string> {
  await makeEmptyProject(folder);
  await npmInstall(folder, [`node@${major}`], ownEnvironment());
  const packages = join(folder, 'node_modules/node/node_modules');
  const [platform] = (await readdir(packages)).filter((name) => /^node-(bin-)?(linux|darwin|win)-/.test(name));
  return realpath(join(packages, platform ?? '', 'bin/node'));
}

async function tryService(
  node: string,
  project: string,
): Promise<Pick<NodeTrial, 'version' | 'start' | 'signature' | 'native' | 'command'>> {
  const command = join(project, 'node_modules/countersign/bin/countersign.js');
  const data = join(project, 'data');
  const env = { PATH: process.env.PATH };
  const started = performance.now();
  const server = spawn(node, [command, 'serve', '--json', '--port', '0', '--data-dir', data], { cwd: project, env });
  let trouble = '';
  server.stderr.on('data', (chunk) => {
    trouble += String(chunk);
  });
  try {
    const ended = once(server, 'exit').then(() => {
      throw new Error(`the service ended: ${trouble}`);
    });
    const [first] = await Promise.race([once(server.stdout, 'data'), ended]);
    const start = secondsSince(started);
    const { url } = JSON.parse(String(first).split('\n')[0] ?? '');
    const { organizationId, apiPublicKey, apiPrivateKey } = JSON.parse(await readFile(join(data, 'credentials.json'), 'utf8'));
    const trial = join(project, 'trial.mjs');
    await copyFile(join(import.meta.dirname, 'trial.mjs'), trial);
    const asked = await run(node, [trial, url, organizationId, apiPublicKey, apiPrivateKey], { cwd: project, env });
    const { version, verifies, native } = JSON.parse(asked.stdout);
    const whoami = await run(node, [command, 'whoami', '--url', url, '--data-dir', data, '--json'], { cwd: project, env });
    const { activity } = JSON.parse(whoami.stdout);
    return {
      version,
      start,
      native,
      signature: verifies ? 'verifies' : 'DOES NOT VERIFY',
      command: activity?.result?.userId === undefined ? `ANSWERED ${whoami.stdout}` : 'works',
    };
  } finally {
    if (server.exitCode === null) {
      server.kill();
      await once(server, 'exit');
    }
  }
}

async function runExamples(node: string, project: string): Promise<string> {
  const scope = join(project, 'node_modules/@countersign');
  const names = await readdir(scope);
  const faults: string[] = [];
  for (const name of names) {
    const readme = await readFile(join(scope, name, 'README.md'), 'utf8');
    const example = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const file = join(project, `${name}.mjs`);
    await writeFile(file, example);
    await run(node, [file], { cwd: project }).catch((error: Error) => faults.push(`${name}: ${error.message}`));
  }
  return faults.length === 0 ? `${names.length} of ${names.length}` : `FAILED ${faults.join('; ')}`;
}

/** Packages whose tests load no addon: the workspace's own is compiled for another version of Node. */
const pure = ['strict-json', 'contract', 'policy', 'chains', 'judgement', 'tlog', 'verify', 'client'];

async function runTests(node: string): Promise<string> {
  const root = join(import.meta.dirname, '../..');
  const folders = pure.map((name) => join('packages', name));
  const argv = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', ...folders];
  const options = { cwd: root, env: ownEnvironment(), ...OUTPUT };
  const { stdout } = await run(node, argv, options).catch((error: { stdout?: string; message: string }) => ({
    stdout: error.stdout || JSON.stringify({ success: false, fault: error.message }),
  }));
  const { success, numPassedTests, numFailedTests, fault } = JSON.parse(stdout);
  return success ? `${numPassedTests} pass` : `FAILED ${fault ?? `${numFailedTests} of ${numPassedTests + numFailedTests}`}`;
}
