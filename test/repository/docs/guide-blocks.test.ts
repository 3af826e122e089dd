import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createProgram } from 'countersign';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillNow } from '../../../packages/cli/src/lazy-command.ts';
import { withVerbFirst } from '../../../packages/cli/src/nouns.ts';
import { serveInFolder } from '../../../packages/cli/test/run-cli.ts';
import { readGuideBlocks, words } from './guide-blocks.ts';

const run = promisify(execFile);
const blocks = readGuideBlocks();
const named = blocks.map((block, index) => [`${block.file} ${index}: ${block.code.slice(0, 40).split('\n')[0]}`, block] as const);
const bin = join(import.meta.dirname, '../../../packages/cli/bin/countersign.js');

test('every word behind a language is explained, and every language is looked at', () => {
  const looked = ['', 'diff', 'js', 'json', 'jsx', 'policy', 'sh', 'text', 'ts'];
  for (const { file, language, word } of blocks) {
    expect(looked, `${file}: ${language}`).toContain(language);
    if (word !== '') expect(Object.keys(words), `${file}: ${word}`).toContain(word);
  }
  expect(blocks.filter(({ word }) => word === 'run').length).toBeGreaterThan(5);
});

test('files of the application in a guide are those that run in Chromium', async () => {
  const folder = join(import.meta.dirname, '../../wallet-kit');
  const files = await Promise.all(
    ['service-keys.js', 'vite.config.js', 'src/main.jsx'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  expect(blocks.filter(({ language }) => language === 'jsx').map(({ word, code }) => [word, code])).toEqual(
    files.map((text) => ['app', text]),
  );
});

/** The calls of the command in a block, as a shell reads them. Nothing else in the block is started. */
async function callsIn(code: string): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-blocks-'));
  try {
    const stubs = [
      `countersign() { printf '%s\\0' "$@" >> calls; printf '\\036' >> calls; }`,
      'npx() { shift; countersign "$@"; }',
      'command_not_found_handle() { :; }',
    ];
    // Nothing is found on this path, so every other word of the block does nothing.
    await run('/bin/bash', ['-c', [...stubs, 'PATH=/nowhere', code, ':'].join('\n')], { cwd: folder, env: {} });
    const calls = await readFile(join(folder, 'calls'), 'utf8');
    return calls
      .split('\u001e')
      .slice(0, -1)
      .map((call) => call.split('\0').slice(0, -1));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const nowhere = { write: () => {}, isTerminal: false, columns: 100 };
const context = {
  environment: {},
  stdout: nowhere,
  stderr: nowhere,
  readStdin: async () => '',
  ask: async () => undefined,
  onLine: () => () => {},
  untilStopped: async () => {},
  onHangup: () => {},
};

describe('commands in the guides exist, with their flags', () => {
  test.each(named.filter(([, { language, code }]) => language === 'sh' && /countersign (--)?[a-z]/.test(code)))(
    '%s',
    async (_, { code }) => {
      for (const argv of await callsIn(code)) {
        const program = createProgram(context);
        const [first = '', ...rest] = withVerbFirst(program, argv);
        if (first.startsWith('--')) continue;
        let command = program.commands.find((each) => each.name() === first);
        const inner = command?.commands.find((each) => each.name() === rest[0]);
        command = inner ?? command;
        expect(command, argv.join(' ')).toBeDefined();
        if (command === undefined) return;
        await fillNow(command);
        const flags = rest.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0]);
        const known = command.options.map(({ long }) => long);
        for (const flag of flags) expect([...known, '--help', '--debug'], `${argv.join(' ')}`).toContain(flag);
      }
    },
  );
});

describe('data in the guides can be read', () => {
  test.each(named.filter(([, { language }]) => language === 'json'))('%s', (_, { code }) => {
    JSON.parse(code);
  });
});

const guides = [...new Set(blocks.filter(({ word }) => word === 'run').map(({ file }) => file))];

describe('guides that are run from the first command to the last', () => {
  let service: Awaited<ReturnType<typeof serveInFolder>>;
  beforeAll(async () => {
    service = await serveInFolder();
  });
  afterAll(() => service.close());

  test.each(blocks.filter(({ word }) => word === 'program').map((block) => [block.file, block] as const))(
    '%s: the program',
    async (_, { code }) => {
      // Inside of the repository, so that its packages are found, and where no other test looks for files.
      const folder = await mkdtemp(join(import.meta.dirname, '../../../node_modules/.program-'));
      try {
        const file = join(folder, 'program.mjs');
        await writeFile(file, code);
        const { PATH = '' } = process.env;
        const env = { PATH, COUNTERSIGN_URL: service.url, COUNTERSIGN_DATA_DIR: service.folder.path };
        const { stdout } = await run(process.execPath, [file], { cwd: folder, env });
        expect(stdout).toMatch(
          /^Ann asks: send 1,250 USDC to 0x70997970C51812dc3A010C7d01b50e0d17dc79C8.*\nSigned by 0x\w{40}: 0x02/,
        );
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );

  // One service for all of them: a reader has one, too.
  test.each(guides)('%s', async (file) => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-guide-'));
    try {
      const own = blocks.filter((block) => block.file === file);
      const steps = own.filter(({ word }) => word === 'run').map(({ code }) => code);
      const refused = own
        .filter(({ word }) => word === 'refused')
        .map(({ code }) => `( ${code} ) && exit 99; [ $? = 3 ] || exit 98`);
      const script = ['set -euo pipefail', `npx() { shift; node ${bin} "$@"; }`, ...steps, 'set +e', ...refused, 'exit 0'].join(
        '\n',
      );
      const { PATH = '' } = process.env;
      const env = { PATH, HOME: folder, COUNTERSIGN_URL: service.url, COUNTERSIGN_DATA_DIR: service.folder.path };
      const { stdout } = await run('bash', ['-c', script], { cwd: folder, env });
      expect(stdout).toMatch(/[0-9a-f]{8}-/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
