import { describe, expect, test } from 'vitest';
import { startWire } from '../../client/test/wire-server.ts';
import { callerEnvironment, isOwnStamp, runCli, temporaryFolder } from './run-cli.ts';

const path = '/public/v1/query/whoami';
const body = '{ "organizationId" : "x", "n" : 1.0 }';

describe('request', () => {
  test.each(['inline', 'file', 'standard input'])('D01: stamps and sends the body byte for byte: %s', async (source) => {
    await using wire = await startWire(() => ({ status: 200, body: { answer: [1, 2] } }));
    await using folder = await temporaryFolder();
    const given = source === 'inline' ? body : source === 'file' ? `@${await folder.write('body.json', body)}` : '-';
    const options = { environment: callerEnvironment(wire.url), stdin: body };
    const { code, stdout, stderr } = await runCli(['request', '--path', path, '--body', given], options);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"answer":[1,2]}\n', stderr: '' });
    expect(wire.arrived[0]).toMatchObject({ method: 'POST', path, body });
    expect(isOwnStamp(wire.arrived[0]?.headers['x-stamp'], body)).toBe(true);
  });

  test('formats the response on a terminal, unless --json is given', async () => {
    await using wire = await startWire(() => ({ status: 200, body: { answer: 1 } }));
    const options = { environment: callerEnvironment(wire.url), terminal: true };
    const argv = ['request', '--path', path, '--body', body];
    expect((await runCli(argv, options)).stdout).toBe('{\n  "answer": 1\n}\n');
    expect((await runCli([...argv, '--json'], options)).stdout).toBe('{"answer":1}\n');
  });

  test('prints an HTTP error to stderr and exits with 2 for an invalid request', async () => {
    const details = [{ fieldViolations: [{ field: 'organizationId', description: 'must be a UUID' }] }];
    const error = { code: 3, message: 'malformed organization ID', details, errorCode: 'ORGANIZATION_ID_INVALID' };
    await using wire = await startWire(() => ({ status: 400, body: error }));
    const options = { environment: callerEnvironment(wire.url) };
    const argv = ['request', '--path', path, '--body', body];
    expect(await runCli(argv, options)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Error: malformed organization ID (ORGANIZATION_ID_INVALID, HTTP 400)\n  organizationId: must be a UUID\n',
    });
    const { stderr } = await runCli([...argv, '--json'], options);
    expect(JSON.parse(stderr)).toEqual({ status: 400, errorCode: 'ORGANIZATION_ID_INVALID', message: error.message, details });
  });

  test('needs a path and a body', async () => {
    expect((await runCli(['request', '--body', '{}'])).stderr).toContain("required option '--path <path>' not specified");
    expect((await runCli(['request', '--path', path])).stderr).toContain("required option '--body <json>' not specified");
    const { code, stderr } = await runCli(['request', '--path', 'public/v1', '--body', '{}']);
    expect(code).toBe(2);
    expect(stderr).toContain('Try --path /public/v1');
  });
});
