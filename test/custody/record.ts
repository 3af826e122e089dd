import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { Session } from './record-session.ts';
import { packageFolder, SoftHsm } from './softhsm.ts';
import { SoftwareTpm } from './swtpm.ts';

/**
 * npm run custody:record: runs the suite of root key providers, and sessions with SoftHSM2, shares and swtpm. Writes the table of the suite and the
 * sessions to docs/custody.md.
 */
const root = join(import.meta.dirname, '../..');
const quiet = '--log-level error --port 0';
const READY = /Countersign is ready/;

async function softHsm(folder: string): Promise<string> {
  const hsm = new SoftHsm(folder);
  const session = new Session(folder, { SOFTHSM2_CONF: hsm.configFile, NODE_PATH: packageFolder });
  const key = `--pkcs11-uri 'pkcs11:token=countersign;object=root?module-path=${hsm.library}' --pkcs11-pin-file pin`;
  await session.run(
    'softhsm2-util --init-token --free --label countersign --so-pin 84838281 --pin 739201 | grep -v "^The token"',
  );
  const service = session.start(`countersign serve --data-dir data ${quiet} ${key}`, READY);
  await service.ready();
  await session.run('countersign whoami --data-dir data');
  session.note('The token is pulled out.');
  renameSync(join(folder, 'tokens'), join(folder, 'away'));
  await session.run(`countersign doctor --data-dir data ${key} | grep -A1 "vault"`);
  session.note('The token is back. The service was not restarted.');
  renameSync(join(folder, 'away'), join(folder, 'tokens'));
  await session.run(`countersign doctor --data-dir data ${key} | grep "vault"`);
  await service.stop();
  return session.end();
}

async function shares(folder: string): Promise<string> {
  for (const name of ['alice', 'bob']) {
    const identity = await generateIdentity();
    writeFileSync(join(folder, `${name}.key`), `${identity}\n`, { mode: 0o600 });
    writeFileSync(join(folder, `${name}.pub`), await identityToRecipient(identity));
  }
  const session = new Session(folder, { GNUPGHOME: folder });
  session.note('Alice and Bob have age identities, and Carol has a PGP key.');
  await session.run("gpg --batch --quiet --passphrase '' --quick-generate-key carol@example.com");
  await session.run('gpg --armor --output carol.asc --export carol@example.com');
  const recipients = '--share-recipients "$(cat alice.pub),$(cat bob.pub),carol.asc" --share-directory shares';
  const service = session.start(
    `countersign serve --data-dir data ${quiet} --workers 2 --unseal-socket unseal --share-threshold 2 ${recipients}`,
    READY,
  );
  while (!isSocket(folder, 'unseal')) await new Promise((resolve) => setTimeout(resolve, 50));
  const alice = 'countersign unseal shares/*-1/share-1.age --identity alice.key --unseal-socket';
  const bob = 'countersign unseal shares/*-1/share-2.age --identity bob.key --unseal-socket';
  await session.run('ls shares/*');
  await session.run(`${alice} unseal`);
  session.note('The same share again, and one that was altered.');
  await session.run(`${alice} unseal`);
  await session.run(
    'gpg --quiet --decrypt shares/*-1/share-3.asc | tr 0-4 5-9 | countersign unseal --unseal-socket unseal',
    'failure',
  );
  await session.run('gpg --quiet --decrypt shares/*-1/share-3.asc | countersign unseal --unseal-socket unseal');
  await service.ready();
  await session.run('countersign whoami --data-dir data');
  await session.run('countersign seal --unseal-socket unseal');
  await session.run('countersign whoami --data-dir data', 'failure');
  await session.run(`${bob} unseal`);
  await session.run(`${alice} unseal`);
  while (!isReady(folder)) await new Promise((resolve) => setTimeout(resolve, 50));
  await session.run('countersign whoami --data-dir data');
  session.note('All three are needed from now on.');
  const again = session.start(
    `countersign vault reshare --data-dir data --log-level error --unseal-socket reshare --share-threshold 3 ${recipients}`,
    /shared again/,
  );
  while (!isSocket(folder, 'reshare')) await new Promise((resolve) => setTimeout(resolve, 50));
  await session.run(`${alice} reshare`);
  await session.run(`${bob} reshare`);
  await again.ready();
  await session.run('countersign seal --unseal-socket unseal');
  await session.run(`${alice} unseal`, 'failure');
  await service.stop();
  execFileSync('gpgconf', ['--homedir', folder, '--kill', 'gpg-agent']);
  return session.end();
}

function isSocket(folder: string, name: string): boolean {
  const words = [
    '-e',
    `require('net').connect('${join(folder, name)}').on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))`,
  ];
  return succeeds(process.execPath, words);
}

const isReady = (folder: string) =>
  succeeds('sh', [
    '-c',
    `node ${join(root, 'packages/cli/bin/countersign.js')} whoami --data-dir ${join(folder, 'data')} >/dev/null 2>&1`,
  ]);

function succeeds(program: string, words: readonly string[]): boolean {
  try {
    execFileSync(program, words);
    return true;
  } catch {
    return false;
  }
}

async function softwareTpm(folder: string): Promise<string> {
  const tpm = await SoftwareTpm.start(folder);
  const other = await SoftwareTpm.start(mkdtempSync(join(tmpdir(), 'countersign-custody-')));
  const session = new Session(folder, { TPM2TOOLS_TCTI: tpm.environment.TPM2TOOLS_TCTI });
  const key = '--data-dir data --tpm-key-file root.tpm';
  try {
    const service = session.start(`countersign serve ${quiet} ${key} --tpm-pcrs sha256:7`, READY);
    await service.ready();
    await service.stop();
    await session.run(`countersign doctor ${key} | grep "vault"`);
    session.note('Another boot loader: PCR 7 has another value.');
    await session.run(`tpm2_pcrextend 7:sha256=${'a'.repeat(64)}`);
    await session.run(`countersign doctor ${key} | grep -A1 "vault"`);
    session.note('The machine is started as before.');
    await tpm.pullOut();
    await tpm.plugIn();
    await session.run(`countersign doctor ${key} | grep "vault"`);
    session.note('The disk is in another machine.');
    await session.run(`TPM2TOOLS_TCTI=${other.environment.TPM2TOOLS_TCTI} countersign doctor ${key} | grep -A1 "vault"`);
    return session.end();
  } finally {
    await Promise.all([tpm.pullOut(), other.pullOut()]);
  }
}

/** Runs the suite over every provider. Returns its table, and throws if a test fails. */
function conformance(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'countersign-custody-')), 'results.json');
  const results = [
    [
      '--project',
      'quick',
      '--project',
      'slow',
      ...['providers', 'shares', 'transit'].map((name) => `packages/server/test/vault/root-key/${name}.test.ts`),
    ],
    ['--config', 'test/custody/vitest.config.ts'],
  ].flatMap((words) => {
    execFileSync('npx', ['vitest', 'run', ...words, '--reporter=json', `--outputFile=${file}`], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return (JSON.parse(readFileSync(file, 'utf8')) as Results).testResults.flatMap(({ assertionResults }) => assertionResults);
  });
  const table = new Map<string, Map<string, boolean>>();
  for (const { ancestorTitles, title, status } of results) {
    const [, name] = /^root key provider: (.*)$/.exec(ancestorTitles.at(-1) ?? '') ?? [];
    const [what = title] = title.split(':');
    if (name === undefined) continue;
    const row = table.get(name) ?? new Map<string, boolean>();
    table.set(name, row.set(what, (row.get(what) ?? true) && status === 'passed'));
  }
  const columns = [...(table.values().next().value?.keys() ?? [])];
  const rows = [...table].map(
    ([name, row]) => `| ${name} | ${columns.map((column) => (row.get(column) ? '✓' : '**✗**')).join(' | ')} |`,
  );
  return [`| Provider | ${columns.join(' | ')} |`, `|---|${'---|'.repeat(columns.length)}`, ...rows].join('\n');
}

interface Results {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

async function inFolder(record: (folder: string) => Promise<string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-custody-'));
  try {
    return `\`\`\`text\n${await record(folder)}\n\`\`\``;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sessions = [await inFolder(softHsm), await inFolder(shares), await inFolder(softwareTpm)];
const table = process.argv.includes('--sessions') ? undefined : conformance();
const page = join(root, 'docs/custody.md');
const text = [
  '# Root keys in practice',
  '',
  'Recorded by `npm run custody:record` from real runs, with paths, ports and ids replaced. [How to choose](guide/root-key.md) · [Decision](decisions/0074-where-the-root-key-lives.md)',
  '',
  '## Conformance of the providers',
  '',
  'Every provider passes the same suite. Those whose service cannot be run here are tested against a protocol server, and say so.',
  '',
  table ?? /\n(\| Provider [\s\S]*?)\n\n/.exec(readFileSync(page, 'utf8'))?.[1] ?? '',
  '',
  '## PKCS #11 with SoftHSM2',
  '',
  sessions[0],
  '',
  '## Shares among operators',
  '',
  sessions[1],
  '',
  '## TPM 2.0 with swtpm',
  '',
  sessions[2],
  '',
].join('\n');
writeFileSync(page, text);
console.log(table ?? 'The sessions were recorded.');
