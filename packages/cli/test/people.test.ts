import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWire } from '../../client/test/wire-server.ts';
import { parseAccount, pathAt } from '../src/parse-account.ts';
import { callerEnvironment, organizationId, runCli, serveInFolder } from './run-cli.ts';

describe('two people and one service, with commands only', () => {
  let service: Awaited<ReturnType<typeof serveInFolder>>;
  let home: Record<string, string>;
  const json = async (argv: readonly string[], environment: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await runCli([...argv, '--json'], { environment: { ...home, ...environment } });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };

  beforeAll(async () => {
    service = await serveInFolder();
    home = { HOME: service.folder.path };
  });
  afterAll(() => service?.close());

  const resultOf = ({ activity }: { activity: { result: { activity: { result: object } } } }) =>
    Object.values(activity.result.activity.result)[0];

  test('creates a key for a second user, a wallet with one command, and approves a payment by its description', async () => {
    const root = service.connection;
    const file = join(service.folder.path, 'ann.json');
    const { apiPublicKey } = await json(['generate-api-key', '--out', file]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await runCli(['generate-api-key', '--out', file]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') });

    const apiKeys = [{ apiKeyName: 'laptop', publicKey: apiPublicKey, curveType: 'API_KEY_CURVE_P256' }];
    const users = [{ userName: 'Ann', apiKeys, authenticators: [], oauthProviders: [], userTags: [] }];
    const { userIds } = resultOf(await json(['user', 'create', ...root, '--users', JSON.stringify(users)]));
    const me = (await json(['whoami', ...root])).activity.result;

    const login = ['login', 'ann', '--credentials', file, '--url', service.url, '--organization-id', me.organizationId];
    expect(await json(login)).toMatchObject({ profile: 'ann', userId: userIds[0] });
    const kept = join(service.folder.path, '.config/countersign/ann.json');
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(kept, 'utf8'))).toMatchObject({ apiPublicKey, baseUrl: service.url });
    expect(await json(['profiles'])).toEqual(['ann']);
    const ann = { COUNTERSIGN_PROFILE: 'ann' };
    expect((await json(['whoami'], ann)).activity.result.username).toBe('Ann');

    const made = await json([
      'wallet',
      'create',
      'Treasury',
      '--account',
      'ethereum',
      '--account',
      'bitcoin p2tr testnet 2',
      ...root,
    ]);
    const { addresses } = resultOf(made);
    expect(addresses).toEqual([expect.stringMatching(/^0x/), expect.stringMatching(/^tb1p/)]);

    const consensus = `approvers.any(user, user.id == '${userIds[0]}') && approvers.any(user, user.id == '${me.userId}')`;
    const policy = ['--effect', 'allow', '--condition', "activity.action == 'SIGN'", '--consensus', consensus, '--notes', ''];
    await json(['policy', 'create', 'Two people', ...policy, ...root]);

    // An unsigned payment of 0.5 ETH with EIP-1559 fees.
    const to = '5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
    const fields = ['01', '80', '8459682f00', '85174876e800', '825208', `94${to}`, `8806f05b59d3b20000`, '80', 'c0'].join('');
    const unsigned = `02${(0xc0 + fields.length / 2).toString(16)}${fields}`;
    const pay = ['sign-transaction', addresses[0], '--type', 'ethereum', '--unsigned-transaction', unsigned];
    const badReference = await runCli([...pay, '--reference', 'INV-1  approved'], { environment: { ...home, ...ann } });
    expect(badReference).toMatchObject({ code: expect.any(Number), stderr: expect.stringContaining('two spaces in a row') });
    expect(badReference.code).not.toBe(0);
    const { activity } = await json([...pay, '--reference', 'INV-2041" approved: "yes'], ann);
    expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');

    expect((await runCli(['pending'], { environment: { ...home, ...ann } })).stdout).toBe(
      'No approvals pending for you. 1 pending for others (--all lists them).\n',
    );
    const pending = await runCli(['pending', ...root], { environment: home });
    expect(pending.stdout).toContain(`${activity.id}  Ann asks: send 0.5 ETH to 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed`);

    const nobody = await runCli(['approve', ...root], { environment: home });
    expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining('Pass --yes') });
    const declined = await runCli(['approve', ...root], { environment: home, terminal: true, answers: ['n'] });
    expect(declined.stdout).toContain('No vote was sent.');
    const unknown = await runCli(['approve', 'ffff', ...root], { environment: home });
    expect(unknown).toMatchObject({ code: 5, stderr: expect.stringContaining('No pending activity has the id prefix ffff') });
    const approved = await runCli(['approve', activity.id.slice(0, 13), ...root], {
      environment: home,
      terminal: true,
      answers: ['y'],
    });
    expect(approved.stdout).toContain('Ann asks: send 0.5 ETH');
    // D968: under a name that says whose words they are.
    expect(stripVTControlCharacters(approved.stdout)).toMatch(/^requesterWrites +INV-2041" approved: "yes$/m);
    const found = await json(['search-activities', '--reference', 'inv-2041"', ...root]);
    expect(found.activity.result.activities).toMatchObject([{ id: activity.id, reference: 'INV-2041" approved: "yes' }]);
    expect(approved.stdout).toMatch(/status.*completed/);
    expect(approved.stdout).toMatch(/demanded.* Approvals are demanded by policy "Two people" \([0-9a-f-]{36}\)\n/);
    expect(approved.stdout).toMatch(/\nApproved and signed\. Not sent yet\.\nTransaction hash: 0x[0-9a-f]{64}\n$/);
    expect(await json(['pending', ...root])).toEqual([]);
    const explained = await runCli(['explain', activity.id, ...root], { environment: home });
    expect(explained.stdout).toMatch(
      /Allowed by the root quorum\nApproved and signed\. Not sent yet\.\nTransaction hash: 0x[0-9a-f]{64}\n/,
    );

    // The list of pending activities leaves out a payload of this length.
    const payload = `begin ${'x'.repeat(40_000)} end`;
    const sign = ['sign-raw-payload', addresses[0], '--payload', payload, '--encoding', 'text-utf8', '--hash-function', 'sha256'];
    const long = (await json(sign, ann)).activity;
    expect(await json(['pending', ...root])).toMatchObject([{ id: long.id, shortened: { query: 'get_activity' } }]);
    const shown = await runCli(['approve', '--yes', ...root], { environment: home });
    expect(shown.stdout.replace(/\s/g, '')).toContain(payload.replace(/\s/g, ''));
    expect(shown.stdout).toMatch(/status.*completed/);
  });

  test('shows before and after of a change, and why an approved one failed', async () => {
    const root = service.connection;
    const me = (await json(['whoami', ...root])).activity.result;
    const file = join(service.folder.path, 'bea.json');
    const { apiPublicKey } = await json(['generate-api-key', '--out', file]);
    const apiKeys = [{ apiKeyName: 'laptop', publicKey: apiPublicKey, curveType: 'API_KEY_CURVE_P256' }];
    const users = [{ userName: 'Bea', apiKeys, authenticators: [], oauthProviders: [], userTags: [] }];
    const { userIds } = resultOf(await json(['user', 'create', ...root, '--users', JSON.stringify(users)]));
    const bea = ['--url', service.url, '--organization-id', me.organizationId, '--credentials', file];
    const both = `approvers.any(user, user.id == '${userIds[0]}') && approvers.any(user, user.id == '${me.userId}')`;
    const policy = ['--effect', 'allow', '--condition', "activity.resource == 'CONTACT'", '--consensus', both, '--notes', ''];
    await json(['policy', 'create', 'Two for contacts', ...policy, ...root]);
    const contacts = [{ label: 'Acme', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }];
    const { contactIds } = resultOf(await json(['create-contacts', '--contacts', JSON.stringify(contacts), ...root]));
    const [contactId] = contactIds;
    const rename = async (label: string) => (await json(['update-contact', contactId, '--label', label, ...bea])).activity.id;
    const approve = (id: string) => runCli(['approve', id, '--yes', ...root], { environment: home });

    const first = await approve(await rename('Acme "GmbH"'));
    expect(first.stdout).toContain(String.raw`Contact "Acme" (${contactId}): name: "Acme" → "Acme \"GmbH\""`);
    expect(first.stdout).toMatch(/\nApproved and executed\.\n$/);

    const second = await rename('Other');
    await json(['delete-contacts', '--contact-ids', contactId, ...root]);
    const failed = await approve(second);
    expect(failed.stdout).toContain(`Contact ${contactId} does not exist, so the request fails`);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('Approved, but it failed: ') });
    const shown = await runCli(['activity', 'show', second, ...root], { environment: home });
    expect(shown.stdout).toContain(`Contact ${contactId} does not exist`);
  });
});

describe('a service that forges pending activities', () => {
  test('A60: does not approve a fingerprint that differs from the shown message', async () => {
    const message = JSON.stringify({ type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' });
    const user = { userName: 'Ann' };
    const waiting = {
      id: 'a1',
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
      fingerprint: `sha256:${'00'.repeat(32)}`,
      canApprove: true,
      votes: [{ message, user, selection: 'VOTE_SELECTION_APPROVED' }],
      intent: {},
      createdAt: { seconds: '1', nanos: '0' },
    };
    let first = true;
    await using wire = await startWire(() => {
      const activities = first ? [waiting] : [];
      first = false;
      return { status: 200, body: { activity: { id: 'q', organizationId, result: { activities } } } };
    });
    const { code, stderr } = await runCli(['approve', '--yes'], { environment: callerEnvironment(wire.url) });
    expect(code).toBe(1);
    expect(stderr).toContain('a fingerprint that does not belong to it');
    expect(wire.arrived.every(({ path }) => path === '/public/v1/query/list_activities')).toBe(true);
  });
});

describe('a service that shows other parameters than the stamped ones', () => {
  test('A70: shows the stamped parameters before an approval', async () => {
    const type = 'ACTIVITY_TYPE_CREATE_USER_TAG';
    const message = JSON.stringify({
      type,
      organizationId,
      timestampMs: '1',
      parameters: { userTagName: 'Mallory', userIds: [] },
    });
    const waiting = {
      id: 'a1',
      type,
      organizationId,
      fingerprint: `sha256:${createHash('sha256').update(message).digest('hex')}`,
      canApprove: true,
      votes: [{ message, user: { userName: 'Ann' }, selection: 'VOTE_SELECTION_APPROVED' }],
      intent: { createUserTagIntent: { userTagName: 'Harmless', userIds: [] } },
      createdAt: { seconds: '1', nanos: '0' },
    };
    const pages = [[waiting]];
    await using wire = await startWire(() => ({
      status: 200,
      body: { activity: { id: 'q', organizationId, result: { activities: pages.shift() ?? [] } } },
    }));
    const environment = callerEnvironment(wire.url);
    const { stdout } = await runCli(['approve', 'a1'], { environment, terminal: true, answers: ['n'] });
    expect(stdout).toContain('Mallory');
    expect(stdout).not.toContain('Harmless');
  });
});

describe('parseAccount', () => {
  test.each([
    ['ethereum', 'ADDRESS_FORMAT_ETHEREUM', 'CURVE_SECP256K1', "m/44'/60'/0'/0/0"],
    ['Ethereum:7', 'ADDRESS_FORMAT_ETHEREUM', 'CURVE_SECP256K1', "m/44'/60'/0'/0/7"],
    ['solana:1', 'ADDRESS_FORMAT_SOLANA', 'CURVE_ED25519', "m/44'/501'/1'/0'"],
    ['bitcoin', 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH', 'CURVE_SECP256K1', "m/84'/0'/0'/0/0"],
    ['bitcoin p2tr mainnet 3', 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR', 'CURVE_SECP256K1', "m/86'/0'/0'/0/3"],
    ['bitcoin p2tr', 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR', 'CURVE_SECP256K1', "m/86'/0'/0'/0/0"],
    ['address_format_tron', 'ADDRESS_FORMAT_TRON', 'CURVE_SECP256K1', "m/44'/195'/0'/0/0"],
  ])('%s', (words, addressFormat, curve, path) => {
    expect(parseAccount(words)).toEqual({ addressFormat, curve, pathFormat: 'PATH_FORMAT_BIP32', path });
  });

  test('suggests the nearest one', () => {
    expect(() => parseAccount('etherum')).toThrow('Did you mean "ethereum"?');
    expect(() => parseAccount('bitcoin ethereum')).toThrow('Unknown account type');
  });

  test('the index is the account step if all steps are hardened', () => {
    expect(pathAt("m/44'/501'/0'/0'", 4)).toBe("m/44'/501'/4'/0'");
    expect(pathAt("m/44'/60'/0'/0/0", 4)).toBe("m/44'/60'/0'/0/4");
  });
});

describe('exit codes', () => {
  test.each([
    [401, 3],
    [403, 3],
    [404, 5],
    [429, 4],
    [503, 4],
    [500, 1],
  ])('HTTP %d is %d', async (status, expected) => {
    const body = { code: 1, message: 'no', details: [], errorCode: 'SOME' };
    await using wire = await startWire(() => ({ status, body }));
    expect((await runCli(['whoami'], { environment: callerEnvironment(wire.url) })).code).toBe(expected);
  });

  test('wrong flags and an unreachable service', async () => {
    expect((await runCli(['whoami', '--no-such-flag'])).code).toBe(2);
    expect((await runCli(['whoami'], { environment: callerEnvironment('http://127.0.0.1:1') })).code).toBe(4);
  });
});
