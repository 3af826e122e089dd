import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeEmptyProject, npmInstall, ownEnvironment, secondsSince } from '../packages/empty-project.ts';

const run = promisify(execFile);
const OUTPUT = { maxBuffer: 64 * 1024 * 1024 };

/** Results of the packed packages on one version of Node. A failed step has its error as result. */
export interface NodeTrial {
  readonly version: string;
  /** Time to install, compilation included. */
  readonly install: string;
  /** Time until a new service answers. */
  readonly start: string;
  /** Whether a signature verifies that the client requested from the service on SQLite. */
  readonly signature: string;
  /** `loads`, or the reason why the addon is not used. */
  readonly native: string;
  readonly command: string;
  /** Result of the pipelining test against the service. */
  readonly pipelining: string;
  /** How many of the first examples in the packages' READMEs ran. */
  readonly examples: string;
  /** How many tests of the packages without native parts passed. */
  readonly tests: string;
}

/**
 * Installs a version of Node and `packages` (npm specifiers) into `folder`. Runs the service, the command, the client, the pipelining
 * test, the README examples and the unit tests on it.
 */
export async function tryNode(major: string, folder: string, packages: readonly string[]): Promise<NodeTrial> {
  const node = await installNode(major, join(folder, 'node'));
  const project = join(folder, 'project');
  const environment = {
    ...ownEnvironment(),
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    // Addons are compiled against the headers of the Node under test, which come in its package.
    npm_config_nodedir: join(dirname(node), '..'),
  };
  await makeEmptyProject(project);
  const started = performance.now();
  // Optional dependencies are large and not tested here.
  await npmInstall(project, ['--omit=optional', ...packages], environment);
  const install = secondsSince(started);
  const service = await tryService(node, project);
  const pipelining = await runVitest(process.execPath, [PIPELINING], { TEST_NODE: node, TEST_COMMAND: commandOf(project) });
  return {
    ...service,
    install,
    pipelining,
    examples: await runExamples(node, project),
    tests: await runVitest(node, pureFolders),
  };
}

const commandOf = (project: string) => join(project, 'node_modules/countersign/bin/countersign.js');

/** Installs Node from the registry, which has it as packages with headers. Returns the path of the program, not of a link to it. */
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
  const command = commandOf(project);
  const data = join(project, 'data');
  const env = { PATH: process.env.PATH };
  const started = performance.now();
  const server = spawn(node, [command, 'serve', '--json', '--port', '0', '--data-dir', data], { cwd: project, env });
  let stderr = '';
  server.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  try {
    const ended = once(server, 'exit').then(() => {
      throw new Error(`the service ended: ${stderr}`);
    });
    const [first] = await Promise.race([once(server.stdout, 'data'), ended]);
    const start = secondsSince(started);
    const { url } = JSON.parse(String(first).split('\n')[0] ?? '');
    const { organizationId, apiPublicKey, apiPrivateKey } = JSON.parse(await readFile(join(data, 'credentials.json'), 'utf8'));
    const trial = join(project, 'trial.mjs');
    await copyFile(join(import.meta.dirname, 'trial.mjs'), trial);
    const result = await run(node, [trial, url, organizationId, apiPublicKey, apiPrivateKey], { cwd: project, env });
    const { version, verifies, native } = JSON.parse(result.stdout);
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
  const errors: string[] = [];
  for (const name of names) {
    const readme = await readFile(join(scope, name, 'README.md'), 'utf8');
    const example = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const file = join(project, `${name}.mjs`);
    await writeFile(file, example);
    await run(node, [file], { cwd: project }).catch((error: Error) => errors.push(`${name}: ${error.message}`));
  }
  return errors.length === 0 ? `${names.length} of ${names.length}` : `FAILED ${errors.join('; ')}`;
}

const root = join(import.meta.dirname, '../..');

/** Runs on the current Node; only its servers run on the Node under test. */
const PIPELINING = 'test/faults/fault/pipelining.test.ts';

/** Packages whose tests load no addon: the workspace has the addon of another version of Node. */
const pureFolders = ['strict-json', 'collections', 'contract', 'policy', 'chains', 'judgement', 'tlog', 'verify', 'client'].map(
  (name) => join('packages', name),
);

async function runVitest(node: string, paths: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  const argv = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', ...paths];
  const options = { cwd: root, env: { ...ownEnvironment(), ...environment }, ...OUTPUT };
  const { stdout } = await run(node, argv, options).catch((error: { stdout?: string; message: string }) => ({
    stdout: error.stdout || JSON.stringify({ success: false, failure: error.message }),
  }));
  const { success, numPassedTests, numFailedTests, failure } = JSON.parse(stdout);
  return success ? `${numPassedTests} pass` : `FAILED ${failure ?? `${numFailedTests} of ${numPassedTests + numFailedTests}`}`;
}
