import { describe, expect, test } from 'vitest';
import { progressOn } from '../src/progress.ts';
import { runCli, serveInFolder } from './run-cli.ts';

function drawnOn(isTerminal: boolean, flags: { json?: true } = {}): string {
  let drawn = '';
  const stderr = {
    write(text: string) {
      drawn += text;
    },
    isTerminal,
    columns: 80,
  };
  const progress = progressOn({ stderr }, flags);
  progress.show('rows', 1200, 1200);
  progress.end();
  return drawn;
}

describe('progress line', () => {
  test('is drawn on a terminal and removed at the end', () => {
    expect(drawnOn(true)).toBe(`\r\u001b[Krows ${'█'.repeat(24)} 100 % of 1,200\r\u001b[K`);
  });

  test('is not written to a file or pipe, nor with --json', () => {
    expect(drawnOn(false)).toBe('');
    expect(drawnOn(true, { json: true })).toBe('');
  });

  test('is a count if the total is unknown', () => {
    let drawn = '';
    const stderr = {
      write(text: string) {
        drawn = text;
      },
      isTerminal: true,
      columns: 80,
    };
    progressOn({ stderr }).show('leaves', 1200);
    expect(drawn).toBe('\r\u001b[K1,200 leaves');
  });
});

test('audit export and import show progress on a terminal', async () => {
  const service = await serveInFolder();
  try {
    const terminal = { terminal: true, environment: { HOME: service.folder.path } };
    const exported = await runCli(['audit', 'export', `${service.folder.path}/audit.jsonl`, ...service.connection], terminal);
    expect(exported).toMatchObject({ code: 0 });
    expect(exported.stderr).toMatch(/leaves/);
    const phrase = await service.folder.write('phrase.txt', `${'abandon '.repeat(11)}about`);
    const imported = (more: readonly string[]) =>
      runCli(
        [
          'import',
          'wallet',
          '--wallet-name',
          `W${more.length}`,
          '--phrase-file',
          phrase,
          '--accounts',
          '[]',
          ...more,
          ...service.connection,
        ],
        terminal,
      );
    const first = await imported([]);
    expect(first.stderr).toMatch(/requesting an import key .*% of 2/);
    expect((await imported(['--json'])).stderr).not.toContain('% of');
  } finally {
    await service.close();
  }
});
