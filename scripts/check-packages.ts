import { execFile } from 'node:child_process';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocument } from '@countersign/contract';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packAll } from '../test/repository/packages/packed.ts';
import { checkForeignTypes, foreignLanguages } from './packages/foreign-types.ts';

/** Checks the packages as published. The tools, with their own TypeScript version, are in `test/repository/packages/tools`. */
const run = promisify(execFile);
const tools = join(import.meta.dirname, '../test/repository/packages/tools/node_modules/.bin');
const project = await packAll();
let problems = 0;
const report = (what: string, faults: readonly string[]) => {
  problems += faults.length;
  console.log(`${faults.length === 0 ? 'ok    ' : 'FAULT '} ${what}`);
  for (const fault of faults) console.log(`       ${fault}`);
};

try {
  for (const { name, folder } of project.packages) {
    const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
    report(
      `publint  ${name}`,
      messages.map((message) => formatMessage(message, {}) ?? message.code),
    );
  }
  const tarballs = (await readdir(project.folder)).filter((file) => file.endsWith('.tgz')).sort();
  for (const tarball of tarballs) {
    const file = join(project.folder, tarball);
    const { size } = await stat(file);
    // The command has no types to check.
    const isCommand = /^countersign-\d+\.\d+\.\d+\.tgz$/.test(tarball);
    // Every package is ESM only. Node 20.19 and later can also load ESM with require.
    const faults = isCommand
      ? []
      : await faultsOf(join(tools, 'attw'), [file, '--profile', 'esm-only', '--format', 'ascii', '--no-color']);
    report(`${isCommand ? '        ' : 'attw    '} ${tarball}  ${(size / 1024).toFixed(0)} kB`, faults);
  }
  const document = join(project.folder, 'openapi.json');
  const types = join(project.folder, 'openapi.ts');
  await writeFile(document, JSON.stringify(openApiDocument({ version: '0.0.0' })));
  report('openapi-typescript', await faultsOf(join(tools, 'openapi-typescript'), [document, '-o', types]));
  report('tsc on its types', await faultsOf(join(tools, 'tsc'), ['--noEmit', '--strict', '--skipLibCheck', 'false', types]));
  for (const language of foreignLanguages) {
    const faults = await checkForeignTypes(join(tools, 'quicktype'), project.folder, language);
    const name = `quicktype: ${language.name}, and ${language.check.join(' ')}`;
    report(faults === undefined ? `${name} (not on this machine)` : name, faults ?? []);
  }
} finally {
  await rm(project.folder, { recursive: true, force: true });
}
process.exitCode = problems === 0 ? 0 : 1;

async function faultsOf(command: string, argv: readonly string[]): Promise<string[]> {
  try {
    await run(command, argv, { maxBuffer: 64 * 1024 * 1024 });
    return [];
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return `${stdout ?? ''}${stderr ?? String(error)}`.trim().split('\n');
  }
}
