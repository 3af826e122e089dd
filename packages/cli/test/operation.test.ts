import { createHash } from 'node:crypto';
import { type ActivityDefinition, activities, exampleOf, type QueryDefinition, queries } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { startWire } from '../../client/test/wire-server.ts';
import { fieldsOf, namesOrganization, schemaOf } from '../src/operation.ts';
import { operationExample } from '../src/operation-example.ts';
import { callerEnvironment, organizationId, runCli, temporaryFolder } from './run-cli.ts';

const definitions: (ActivityDefinition | QueryDefinition)[] = [...Object.values(activities), ...Object.values(queries)];
const submitted = (name: string, status: string, result: object) => ({
  activity: {
    id: 'a1',
    status: `ACTIVITY_STATUS_${status}`,
    type: 'ACTIVITY_TYPE_X',
    organizationId,
    timestampMs: '1767225600000',
    result: { activity: { type: 'ACTIVITY_TYPE_X', intent: { [`${name}Intent`]: {} }, result } },
  },
});
const answered = (result: object) => ({ status: 200, body: { activity: { id: 'q', result } } });
const signed = {
  status: 200,
  body: submitted('signRawPayload', 'COMPLETED', { signRawPayloadResult: { r: 'aa', s: 'bb', v: '00' } }),
};
const signArguments = ['--sign-with', '0x98', '--payload', '00', '--encoding', 'hexadecimal', '--hash-function', 'sha256'];

describe.each(definitions)('$name', (definition) => {
  const example = operationExample(definition, fieldsOf(definition));

  test('--help shows an example that sends these parameters', async () => {
    await using folder = await temporaryFolder();
    const files = Object.fromEntries(
      await Promise.all(
        Object.entries(example.files).map(async ([name, value]) => [
          `@${name}`,
          `@${await folder.write(name, JSON.stringify(value))}`,
        ]),
      ),
    );
    await using wire = await startWire(() => ({
      status: 500,
      body: { code: 13, message: 'stop here', details: [], errorCode: 'INTERNAL' },
    }));
    const argv = example.argv.map((word) => files[word] ?? word);
    const { stderr } = await runCli(argv, { environment: callerEnvironment(wire.url) });
    expect(stderr).toContain('stop here');

    const kind = definition.kind === 'activity' ? 'submit' : 'query';
    expect(wire.arrived.map(({ path }) => path)).toEqual([`/public/v1/${kind}/${definition.path}`]);
    const body = JSON.parse(wire.arrived[0]?.body ?? '');
    const values = exampleOf(schemaOf(definition)) as object;
    if (definition.kind === 'activity') {
      expect(body).toEqual({
        type: definition.type,
        timestampMs: expect.stringMatching(/^\d{13}$/),
        organizationId,
        parameters: namesOrganization(definition) ? { ...values, organizationId } : values,
      });
    } else {
      expect(body).toEqual({
        ...values,
        operation: definition.path,
        organizationId,
        timestampMs: expect.stringMatching(/^\d{13}$/),
      });
    }

    const help = await runCli([example.argv[0] ?? '', '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain(`$ countersign ${example.argv[0]}`);
    expect(help.stdout).toContain(definition.summary);
    for (const { flag } of fieldsOf(definition)) expect(help.stdout).toContain(`  ${flag} `);
  });
});

describe('output', () => {
  test('aligns the result, the activity and its status', async () => {
    await using wire = await startWire(() => signed);
    const { code, stdout, stderr } = await runCli(['sign-raw-payload', ...signArguments], {
      environment: callerEnvironment(wire.url),
    });
    expect(stdout).toBe('activity  a1\nstatus    completed\nr         aa\ns         bb\nv         00\n');
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('--json prints the unchanged response on one line', async () => {
    await using wire = await startWire(() => signed);
    const { stdout } = await runCli(['sign-raw-payload', ...signArguments, '--json'], {
      environment: callerEnvironment(wire.url),
    });
    expect(stdout).toBe(`${JSON.stringify(signed.body)}\n`);
  });

  test('a pending activity shows how to approve it and exits with 0', async () => {
    await using wire = await startWire(() => ({ status: 200, body: submitted('signRawPayload', 'CONSENSUS_NEEDED', {}) }));
    const { code, stdout } = await runCli(['sign-raw-payload', ...signArguments], { environment: callerEnvironment(wire.url) });
    expect(stdout).toContain('status    consensus needed');
    expect(stdout).toContain('npx countersign approve a1');
    expect(code).toBe(0);
  });

  test('a vote shows its activity; a requested rejection exits with 0', async () => {
    const fingerprint = `sha256:${'ab'.repeat(32)}`;
    const result = { signRawPayloadResult: { r: 'aa', s: 'bb', v: '00' } };
    const bodies = [
      submitted('signRawPayload', 'COMPLETED', result),
      submitted('signRawPayload', 'CONSENSUS_NEEDED', {}),
      submitted('signRawPayload', 'REJECTED', {}),
    ];
    await using wire = await startWire((_, count) => ({ status: 200, body: bodies[count - 1] ?? {} }));
    const options = { environment: callerEnvironment(wire.url) };
    const vote = (command: string) => runCli([command, '--fingerprint', fingerprint], options);
    expect(await vote('approve-activity')).toMatchObject({ code: 0, stdout: expect.stringMatching(/completed\nr +aa\n/) });
    expect((await vote('approve-activity')).stdout).toContain('npx countersign approve a1');
    expect(await vote('reject-activity')).toMatchObject({ code: 0, stdout: expect.stringContaining('rejected') });
  });

  test.each(['FAILED', 'REJECTED'])('a %s activity exits with 1', async (status) => {
    await using wire = await startWire(() => ({ status: 200, body: submitted('signRawPayload', status, {}) }));
    const { code, stdout } = await runCli(['sign-raw-payload', ...signArguments], { environment: callerEnvironment(wire.url) });
    expect(stdout).toContain(status.toLowerCase());
    expect(code).toBe(1);
  });

  test('prints a list as a table without a heading, and reports an empty one', async () => {
    const wallets = [
      { walletId: 'w1', walletName: 'Treasury', createdAt: { seconds: '1767225600', nanos: '0' }, exported: false },
    ];
    await using wire = await startWire((_, count) => answered({ wallets: count === 1 ? wallets : [] }));
    const options = { environment: callerEnvironment(wire.url) };
    expect((await runCli(['list-wallets'], options)).stdout).toBe(
      'walletId  walletName  createdAt             exported\nw1        Treasury    2026-01-01T00:00:00Z  false\n',
    );
    expect((await runCli(['list-wallets'], options)).stdout).toBe('none\n');
  });
});

describe('parameters', () => {
  const sentBy = async (argv: readonly string[], stdin = '') => {
    await using wire = await startWire(() => ({ status: 500, body: { message: 'x', errorCode: 'INTERNAL', details: [] } }));
    const { stderr } = await runCli(argv, { environment: callerEnvironment(wire.url), stdin });
    const [arrived] = wire.arrived;
    return { stderr, body: arrived === undefined ? undefined : JSON.parse(arrived.body) };
  };

  test('accepts enumerations with or without prefix, in any case', async () => {
    const { body } = await sentBy([
      'sign-raw-payload',
      '--sign-with=0x98',
      '--payload=00',
      '--encoding=PAYLOAD_ENCODING_TEXT_UTF8',
      '--hash-function=No_Op',
    ]);
    expect(body.parameters).toMatchObject({ encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_NO_OP' });
  });

  test('accepts repeated flags for a list of scalars, numbers and booleans', async () => {
    const keyIds = ['01981b2c-7d3e-7f40-8a51-6b2c3d4e5f61', '01981b2c-7d3e-7f40-8a51-6b2c3d4e5f62'] as const;
    const listed = await sentBy([
      'delete-private-keys',
      '--private-key-ids',
      keyIds[0],
      '--private-key-ids',
      keyIds[1],
      '--delete-without-export',
    ]);
    expect(listed.body.parameters).toEqual({ privateKeyIds: keyIds, deleteWithoutExport: true });
    const negated = await sentBy(['delete-private-keys', '--private-key-ids', keyIds[0], '--delete-without-export', 'false']);
    expect(negated.body.parameters).toEqual({ privateKeyIds: [keyIds[0]], deleteWithoutExport: false });
    const numbered = await sentBy(['create-wallet', '--wallet-name', 'W', '--mnemonic-length', '24']);
    expect(numbered.body.parameters).toEqual({ walletName: 'W', accounts: [], mnemonicLength: 24 });
  });

  test('--params accepts all of them inline, from a file or from standard input; flags override it', async () => {
    await using folder = await temporaryFolder();
    const params = {
      signWith: '0x98',
      payload: '00',
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_SHA256',
    };
    const file = await folder.write('params.json', JSON.stringify(params));
    for (const given of [JSON.stringify(params), `@${file}`, '-']) {
      const { body } = await sentBy(['sign-raw-payload', '--params', given, '--payload', 'ff'], JSON.stringify(params));
      expect(body.parameters).toEqual({ ...params, payload: 'ff' });
    }
  });

  test('pagination has separate flags', async () => {
    const id = '018f0000-0000-7000-8000-000000000001';
    const { body } = await sentBy(['list-activities', '--limit', '5', '--after', id, '--filter-by-status', 'completed']);
    expect(body).toMatchObject({
      organizationId,
      filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
      paginationOptions: { limit: '5', after: id },
    });
  });

  test('reports missing and invalid parameters by flag, and sends nothing', async () => {
    const missing = await sentBy(['sign-raw-payload', '--sign-with', '0x98']);
    expect(missing.stderr).toContain(
      'sign-raw-payload: --payload is required; --encoding is required; --hash-function is required',
    );
    expect(missing.stderr).toContain('See "countersign sign-raw-payload --help"');
    expect(missing.body).toBeUndefined();

    const wrong = await sentBy(['list-activities', '--limit', '0']);
    expect(wrong.stderr).toContain('--limit must be a whole number from 1 to 100');

    const nested = await sentBy(['create-wallet', '--wallet-name', 'W', '--accounts', '[{"curve":"CURVE_P256"}]']);
    expect(nested.stderr).toContain('--accounts[0]["path"]');

    const unknown = await sentBy(['create-wallet', '--wallet-name', 'W', '--params', '{"colour":"red"}']);
    expect(unknown.stderr).toContain('colour');
    expect(unknown.body).toBeUndefined();
  });

  test.each([
    [['sign-raw-payload', '--encoding', 'hex'], 'It must be one of: hexadecimal, text-utf8.'],
    [['create-wallet', '--mnemonic-length', '13'], 'It must be one of: 12, 15, 18, 21, 24.'],
    [['delete-private-keys', '--delete-without-export', 'maybe'], 'It must be true or false.'],
    [['create-sub-organization', '--root-quorum-threshold', '1.5'], 'It must be an integer.'],
    [['create-wallet', '--accounts', '{nope'], '--accounts is not JSON'],
    [['create-wallet', '--accounts', '@/no/such/file'], '--accounts names a file that cannot be read'],
    [['create-wallet', '--params', '[]'], '--params is not a JSON object.'],
  ])('rejects %j', async (argv, message) => {
    const { code, stderr } = await runCli(argv, { environment: callerEnvironment('http://127.0.0.1:1') });
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

test('the same flags at another time make another body and another activity', async () => {
  await using wire = await startWire(() => signed);
  const options = { environment: callerEnvironment(wire.url) };
  await runCli(['sign-raw-payload', ...signArguments], options);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await runCli(['sign-raw-payload', ...signArguments], options);
  const fingerprints = wire.arrived.map(({ body }) => createHash('sha256').update(body).digest('hex'));
  expect(new Set(fingerprints).size).toBe(2);
});
