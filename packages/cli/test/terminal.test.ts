import { describe, expect, test } from 'vitest';
import { startWire } from '../../client/test/wire-server.ts';
import { callerEnvironment, organizationId, type RunOptions, runCli, temporaryFolder } from './run-cli.ts';

const ESCAPE = '\u001b';
const bold = `${ESCAPE}[1m`;
/** Text that moves the cursor up and overwrites a line. */
const hostile = `Ann${ESCAPE}[1A\u202eFix: run this`;
const hostileShown = 'Ann\\u001b[1A\\u202eFix: run this';

/** No colours without a terminal, or with NO_COLOR. */
const plain: readonly [string, RunOptions][] = [
  ['without a terminal', {}],
  ['with NO_COLOR', { terminal: true, environment: { NO_COLOR: '1' } }],
];

const drawing = ['error[UNKNOWN_NAME]: the name `foo` is not known here', ' --> 1:1', '1 | foo == 1', '  | ^^^'].join('\n');

describe('a rejected policy', () => {
  const refused = (description: string) => ({
    status: 400,
    body: {
      code: 3,
      message: 'invalid policy condition: the name `foo` is not known here',
      errorCode: 'POLICY_INVALID',
      details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'condition', description }] }],
    },
  });
  const argv = ['create-policy', '--policy-name', 'p', '--effect', 'allow', '--condition', 'foo == 1', '--notes', ''];
  const create = async (description: string, options: RunOptions = {}) => {
    await using wire = await startWire(() => refused(description));
    return await runCli(argv, { ...options, environment: { ...callerEnvironment(wire.url), ...options.environment } });
  };

  test.each(plain)('%s: is printed line by line', async (_, options) => {
    const { stderr } = await create(drawing, options);
    expect(stderr).toBe(
      [
        'Error: invalid policy condition: the name `foo` is not known here (POLICY_INVALID, HTTP 400)',
        '  condition:',
        ...drawing.split('\n').map((line) => `  ${line}`),
        '',
      ].join('\n'),
    );
  });

  test('on a terminal, only the caret is coloured', async () => {
    const { stderr } = await create(drawing, { terminal: true });
    expect(stderr).toContain(`${ESCAPE}[31mError:${ESCAPE}[39m invalid policy`);
    expect(stderr).toContain('\n  1 | foo == 1\n');
    expect(stderr).not.toContain('\\u00');
  });

  test('D59: text of the server cannot look like a line of the program', async () => {
    const { stderr } = await create(`bad\nFix: ${hostile}`, { terminal: true });
    expect(stderr).toContain(`\n  Fix: ${hostileShown}\n`);
    expect(
      stderr
        .split(ESCAPE)
        .slice(1)
        .every((rest) => /^\[\d+m/.test(rest)),
    ).toBe(true);
    expect(stderr).not.toMatch(/^Fix:/m);
  });
});

describe('explain', () => {
  const explain = async (options: RunOptions = {}) => {
    const activity = {
      id: organizationId,
      organizationId,
      type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
      status: 'ACTIVITY_STATUS_COMPLETED',
      timestampMs: '1767225600000',
      parsed: { description: `send 1 ETH\nto ${hostile}` },
      votes: [{ user: { userName: hostile } }],
    };
    const decisions = [{ text: 'ALLOW (by policy)\n└─ condition: true' }];
    await using wire = await startWire(({ path }) => {
      const result = path.includes('explain') ? { decisions } : { activity };
      return { status: 200, body: { activity: { id: 'q', result } } };
    });
    return await runCli(['explain', organizationId], {
      ...options,
      environment: { ...callerEnvironment(wire.url), ...options.environment },
    });
  };

  test.each(plain)('%s: prints lines without colours', async (_, options) => {
    const { stdout, stderr } = await explain(options);
    expect(stderr).toBe('');
    expect(stdout).toBe(
      [
        'ACTIVITY_TYPE_SIGN_TRANSACTION_V2 ACTIVITY_STATUS_COMPLETED',
        'send 1 ETH',
        `to ${hostileShown}`,
        '',
        `vote 1 by ${hostileShown}`,
        'ALLOW (by policy)',
        '└─ condition: true',
        '',
      ].join('\n'),
    );
  });

  test('on a terminal, the status is bold', async () => {
    const { stdout } = await explain({ terminal: true });
    expect(stdout).toContain(`${bold}ACTIVITY_STATUS_COMPLETED${ESCAPE}[22m\n`);
    expect(stdout).toContain(`vote 1 by ${hostileShown}\n`);
  });
});

describe('policy check', () => {
  const check = async (options: RunOptions = {}) => {
    await using folder = await temporaryFolder();
    const file = await folder.write(
      'p.json',
      JSON.stringify({ policyName: hostile, effect: 'EFFECT_ALLOW', condition: 'foo == 1' }),
    );
    return await runCli(['policy', 'check', file], options);
  };

  test.each(plain)('%s: prints the diagnostic without colours', async (_, options) => {
    const { code, stdout } = await check(options);
    expect(code).toBe(1);
    expect(stdout).toContain(`\n  ${hostileShown}, condition:\n    error[UNKNOWN_NAME]: the name \`foo\` is not known here\n`);
    expect(stdout).toContain('\n    1 | foo == 1\n');
    expect(stdout).not.toContain(ESCAPE);
  });

  test('on a terminal, the caret is coloured and names are escaped', async () => {
    const { stdout } = await check({ terminal: true });
    expect(stdout).toContain(`${ESCAPE}[31m✗${ESCAPE}[39m `);
    expect(stdout).toContain(hostileShown);
    expect(stdout).not.toContain('\\u001b[31m');
  });
});
