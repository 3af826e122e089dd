import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startWire } from '../../client/test/wire-server.ts';
import { csvText } from '../src/output/csv.ts';
import { cutTo, displayWidth } from '../src/output/display-width.ts';
import { renderTable } from '../src/output/table.ts';
import { yamlText } from '../src/output/yaml.ts';
import { callerEnvironment, runCli } from './run-cli.ts';

const wallet = (walletName: string, n: number) => ({
  walletId: `01981b2c-7d3e-7f40-8a51-00000000000${n}`,
  walletName,
  createdAt: { seconds: '1767225600', nanos: '0' },
  updatedAt: { seconds: '1767225600', nanos: '0' },
  exported: false,
});
const wallets = [wallet('Treasury', 1), wallet('Payroll', 2)];

/** Output of list-wallets with these flags and wallets. */
async function listed(flags: readonly string[], { answer = wallets, terminal = false } = {}) {
  await using wire = await startWire(() => ({ status: 200, body: { activity: { id: 'q', result: { wallets: answer } } } }));
  const run = await runCli(['list-wallets', ...flags], { environment: callerEnvironment(wire.url), terminal });
  return { ...run, arrived: wire.arrived.length };
}

describe('--output', () => {
  test('json and yaml print the response without its envelope', async () => {
    expect(JSON.parse((await listed(['--output', 'json'])).stdout)).toEqual({ wallets });
    expect(parse((await listed(['--output', 'yaml'])).stdout)).toEqual({ wallets });
  });

  test('csv has a header line and dates', async () => {
    expect((await listed(['--output', 'csv'])).stdout).toBe(
      'walletId,walletName,createdAt,updatedAt,exported\r\n' +
        '01981b2c-7d3e-7f40-8a51-000000000001,Treasury,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,false\r\n' +
        '01981b2c-7d3e-7f40-8a51-000000000002,Payroll,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,false\n',
    );
  });

  test('a table fits the terminal and lists omitted columns', async () => {
    const { stdout } = await listed(['--output', 'table']);
    expect(stdout).toMatchInlineSnapshot(`
      "walletId                              walletName  createdAt             exported
      01981b2c-7d3e-7f40-8a51-000000000001  Treasury    2026-01-01T00:00:00Z  false
      01981b2c-7d3e-7f40-8a51-000000000002  Payroll     2026-01-01T00:00:00Z  false
      not shown: updatedAt
      "
    `);
  });

  test('prints a table with a bold heading on a terminal, and everything without colours to a pipe', async () => {
    const shown = (await listed([], { terminal: true })).stdout;
    expect(shown).toContain('\u001b[1mwalletId');
    expect(shown).toContain('not shown: updatedAt');
    const piped = (await listed([])).stdout;
    expect(piped).not.toContain('\u001b');
    expect(piped).toContain('updatedAt');
  });

  test('an error is JSON if the output is JSON', async () => {
    const environment = callerEnvironment('http://127.0.0.1:1');
    const { stderr, code } = await runCli(['list-wallets', '--output', 'json'], { environment });
    expect(JSON.parse(stderr)).toMatchObject({ errorCode: 'UNREACHABLE' });
    expect(code).toBe(4);
  });
});

describe('--query', () => {
  test.each([
    ['wallets[0].walletName', 'Treasury\n'],
    ['wallets[].walletName', 'Treasury\nPayroll\n'],
    ['length(wallets)', '2\n'],
    ["wallets[?walletName=='nobody'].walletId", ''],
    ['wallets[0].{name: walletName, id: walletId}', 'name  Treasury\nid    01981b2c-7d3e-7f40-8a51-000000000001\n'],
  ])('%s', async (expression, expected) => {
    expect((await listed(['--query', expression])).stdout).toBe(expected);
  });

  test('works with every format', async () => {
    const query = ['--query', 'wallets[].walletName'];
    expect((await listed([...query, '--output', 'csv'])).stdout).toBe('value\r\nTreasury\r\nPayroll\n');
    expect(JSON.parse((await listed([...query, '--output', 'json'])).stdout)).toEqual(['Treasury', 'Payroll']);
  });

  test.each(['wallets[', 'nonsense(wallets)'])('rejects %s before sending', async (expression) => {
    expect(await listed(['--query', expression])).toMatchObject({
      code: 2,
      arrived: 0,
      stderr: expect.stringContaining('--query is not a JMESPath expression'),
    });
  });

  test('a failing expression reports that the request succeeded', async () => {
    expect(await listed(['--query', 'length(wallets[0].exported)'])).toMatchObject({
      code: 1,
      arrived: 1,
      stderr: expect.stringContaining('The request succeeded, but'),
    });
  });

  test('cannot be combined with --json', async () => {
    expect(await listed(['--query', 'wallets', '--json'])).toMatchObject({ code: 2, arrived: 0 });
  });
});

describe('tables', () => {
  const options = (columns: number) => ({ columns, paint: (_: string, text: string) => text });

  test('count wide characters and truncate between characters', () => {
    expect(displayWidth('金庫 👩‍🚀')).toBe(7);
    expect(cutTo('金庫金庫', 5)).toBe('金庫…');
    expect(
      renderTable(
        [
          { id: '金庫', n: 1 },
          { id: 'abcd', n: 2 },
        ],
        options(40),
      ),
    ).toBe('id    n\n金庫  1\nabcd  2');
  });

  test('have no line wider than the terminal', () => {
    const record = fc.dictionary(
      fc.string({ maxLength: 12 }).map((key) => `k${key}`),
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.jsonValue()),
      {
        maxKeys: 8,
      },
    );
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), fc.integer({ min: 30, max: 120 }), (records, columns) => {
        // The first column is never truncated: people copy it.
        const rows = records.map((each) => ({ id: 'a1', ...each }));
        for (const line of renderTable(rows, options(columns)).split('\n'))
          expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('names chosen by others', () => {
  test('D185: a name is not a formula in a spreadsheet', () => {
    const names = ['=HYPERLINK("http://x")', '+1+cmd|x', '-2+3', '@SUM(A1)', '-12.5', 'plain'];
    const cells = csvText(names.map((name) => ({ name })))
      .split('\r\n')
      .slice(1);
    expect(cells).toEqual([`"'=HYPERLINK(""http://x"")"`, "'+1+cmd|x", "'-2+3", "'@SUM(A1)", '-12.5', 'plain']);
  });

  test.each(['\ufeff', '\n', 'a\n', 'a ', '\t', 'a\tb', '! #'])('YAML preserves %j', (text) => {
    const all = { text, [`key ${text}`]: [text] };
    expect(parse(yamlText(all))).toEqual(all);
  });

  test('YAML preserves its value and escapes control characters', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
    const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme-composite' }), fc.string({ unit: 'binary' }), (value, text) => {
        const all = JSON.parse(JSON.stringify({ value, text, [`key ${text}`]: 'a\u202eb\u009b' }));
        const yaml = yamlText(all);
        expect(yaml).not.toMatch(control);
        expect(parse(yaml)).toEqual(all);
      }),
      {
        examples: [
          [{}, '\t!'],
          [{}, 'a\tb'],
        ],
      },
    );
  });
});
