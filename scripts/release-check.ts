import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { packInto } from '../test/repository/packages/packed.ts';
import { ownEnvironment } from './packages/empty-project.ts';

/**
 * npm run release:check: checks what a release consists of, and with `--out DIR` writes it there: the tarballs, their checksums and a
 * CycloneDX bill of materials. It publishes nothing.
 */
const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { out: { type: 'string' } } });
const folder = values.out ?? (await mkdtemp(join(tmpdir(), 'countersign-release-')));
let problems = 0;
const report = (what: string, faults: readonly string[], note = '') => {
  problems += faults.length;
  console.log(`${faults.length === 0 ? 'ok    ' : 'FAULT '} ${what}${note === '' ? '' : `: ${note}`}`);
  for (const fault of faults) console.log(`       ${fault}`);
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly repository?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const json = async <T>(path: string): Promise<T> => JSON.parse(await readFile(join(root, path), 'utf8')) as T;

async function checkManifests(): Promise<string> {
  const { version } = await json<Manifest>('package.json');
  const faults: string[] = [];
  for (const directory of await readdir(join(root, 'packages'))) {
    const manifest = await json<Manifest>(`packages/${directory}/package.json`);
    if (manifest.private) continue;
    if (manifest.version !== version) faults.push(`${manifest.name} has version ${manifest.version}, not ${version}`);
    if (manifest.license !== 'Apache-2.0') faults.push(`${manifest.name} has no licence`);
    if (manifest.repository !== undefined) faults.push(`${manifest.name} names a repository, which does not exist yet`);
    for (const [name, range] of Object.entries(manifest.dependencies ?? {}))
      if (!/^\d+\.\d+\.\d+/.test(range)) faults.push(`${manifest.name} needs ${name} ${range}, which is not an exact version`);
  }
  report('manifests', faults, `version ${version}, exact dependencies`);
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  report('changelog', changelog.includes(`\n## ${version} `) ? [] : [`CHANGELOG.md has no section "## ${version} (date)"`]);
  return version;
}

/** Packs everything twice: equal bytes show that anyone can repeat the release. */
async function checkTarballs(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const packed = await packInto(folder);
  const again = await mkdtemp(join(tmpdir(), 'countersign-again-'));
  const faults: string[] = [];
  const sums: string[] = [];
  let bytes = 0;
  try {
    const repeated = await packInto(again);
    for (const { name, filename } of packed) {
      const content = await readFile(join(folder, filename));
      const other = await readFile(join(again, repeated.find((each) => each.name === name)?.filename ?? ''));
      if (!content.equals(other)) faults.push(`${filename} differs when it is packed again`);
      sums.push(`${createHash('sha256').update(content).digest('hex')}  ${filename}`);
      bytes += content.length;
    }
  } finally {
    await rm(again, { recursive: true, force: true });
  }
  await writeFile(join(folder, 'SHA256SUMS'), `${sums.join('\n')}\n`);
  report('tarballs', faults, `${packed.length} packages, ${(bytes / 2 ** 20).toFixed(1)} MB, the same bytes twice`);
}

/** Everything in the lockfile. Packages for development are marked: some of them are part of the command's bundle and of the console. */
async function writeBillOfMaterials(): Promise<void> {
  const { stdout } = await run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024,
  });
  const { bomFormat, specVersion, components } = JSON.parse(stdout) as {
    bomFormat: string;
    specVersion: string;
    components: object[];
  };
  const file = join(folder, 'sbom.cdx.json');
  await writeFile(file, stdout);
  const { ok, output } = await tried(process.execPath, ['test/repository/packages/tools/validate-sbom.js', file]);
  const faults = [
    ...(bomFormat === 'CycloneDX' && components.length > 0 ? [] : ['npm wrote no CycloneDX document']),
    ...(ok ? [] : output.split('\n').slice(0, 20)),
  ];
  report('bill of materials', faults, `CycloneDX ${specVersion}, ${components.length} components, valid by the schema`);
}

async function checkLicences(): Promise<void> {
  const argv = ['--conditions=@countersign/source', '--import', 'tsx', 'scripts/check-licenses.ts'];
  const { ok, output } = await tried(process.execPath, argv);
  report('licences', ok ? [] : output.split('\n'), ok ? output : '');
}

/** The registry's signatures of what is installed. A registry without signing keys is reported. All else that prevents the check is a fault. */
async function checkSignatures(): Promise<void> {
  const { ok, output } = await tried('npm', ['audit', 'signatures', '--loglevel=error']);
  const lines = output.split('\n').filter((line) => /verified|audited|invalid|missing|no dependencies|reason/i.test(line));
  const hasNoKeys = /no dependencies to audit|no supported registries|EMISSINGSIGNATUREKEY/i.test(output);
  if (ok) report('signatures', [], lines.join('; '));
  else if (hasNoKeys) report('signatures', [], 'this registry offers none to verify');
  else report('signatures', lines.length > 0 ? lines : [output.slice(0, 300)]);
}

async function tried(command: string, argv: readonly string[]): Promise<{ ok: boolean; output: string }> {
  try {
    const { stdout, stderr } = await run(command, argv, { cwd: root, env: ownEnvironment(), maxBuffer: 64 * 1024 * 1024 });
    return { ok: true, output: `${stdout}${stderr}`.trim() };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { ok: false, output: `${stdout}${stderr}`.trim() || String(error) };
  }
}

try {
  await checkManifests();
  await checkTarballs();
  await writeBillOfMaterials();
  await checkLicences();
  await checkSignatures();
  console.log(
    'note   provenance: npm publish --provenance needs a public repository in each manifest, and a CI job with an identity token',
  );
  if (values.out !== undefined) console.log(`Wrote ${folder}`);
} finally {
  if (values.out === undefined) await rm(folder, { recursive: true, force: true });
}
process.exitCode = problems === 0 ? 0 : 1;
