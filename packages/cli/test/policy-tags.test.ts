import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, serveInFolder } from './run-cli.ts';

describe('tags by name in policies', () => {
  let service: Awaited<ReturnType<typeof serveInFolder>>;
  let folder: string;
  let treasurers: string;
  const cli = (argv: readonly string[], options = {}) => runCli([...argv, ...service.connection], options);
  const consensus = (tag: string) => `approvers.any(user, user.tags.contains(tag('${tag}')))`;
  const create = (policyName: string, tag: string, options = {}) =>
    cli(
      [
        'create-policy',
        policyName,
        '--effect',
        'allow',
        '--condition',
        "activity.action == 'SIGN'",
        '--consensus',
        consensus(tag),
      ],
      options,
    );
  const stored = async (policyName: string) => {
    const { stdout } = await cli(['list-policies', '--query', `policies[?policyName=='${policyName}'].consensus | [0]`]);
    return stdout.trim();
  };

  beforeAll(async () => {
    service = await serveInFolder();
    folder = await mkdtemp(join(tmpdir(), 'countersign-tags-'));
    const made = await cli(['user-tag', 'create', 'treasurers', '--user-ids', 'Root user', '--query', 'userTagId']);
    treasurers = made.stdout.trim();
    await cli(['user-tag', 'create', 'shared', '--user-ids', 'Root user']);
    await cli(['private-key-tag', 'create', 'shared']);
  });
  afterAll(async () => {
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('D445: create, update and a list of policies send the id that the name stands for', async () => {
    const made = await create('by name', 'treasurers', { terminal: true });
    expect(made.code).toBe(0);
    expect(made.stderr).toContain(`tag('treasurers') is the user tag ${treasurers}`);
    expect(await stored('by name')).toBe(consensus(treasurers));
    const params = JSON.stringify({
      policies: [{ policyName: 'in a list', effect: 'EFFECT_ALLOW', consensus: consensus('treasurers') }],
    });
    expect((await cli(['create-policies', '--params', params])).code).toBe(0);
    expect(await stored('in a list')).toBe(consensus(treasurers));
    const both = `${consensus('treasurers')} && approvers.count() >= 2`;
    const updated = await cli(['update-policy', 'by name', '--policy-consensus', both]);
    expect([updated.code, updated.stderr]).toEqual([0, '']);
    expect(await stored('by name')).toBe(`${consensus(treasurers)} && approvers.count() >= 2`);
  });

  test('D445: a name that no tag has, or several, is refused before anything is sent', async () => {
    const unknown = await create('unknown', 'treasurer');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('there is no tag `treasurer`');
    expect(unknown.stderr).toContain('did you mean `treasurers`?');
    const ambiguous = await create('ambiguous', 'shared');
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.stderr).toMatch(/name of several tags[\s\S]*\(user tag\)[\s\S]*\(private key tag\)/);
    const { stdout } = await cli(['list-activities', '--query', "length(activities[?contains(to_string(intent), 'ambiguous')])"]);
    expect(stdout.trim()).toBe('0');
  });

  test('policy check, test and backtest look names up', async () => {
    const file = join(folder, 'policy.json');
    await writeFile(file, JSON.stringify({ policyName: 'p', effect: 'EFFECT_ALLOW', consensus: consensus('treasurers') }));
    const offline = await runCli(['policy', 'check', file]);
    expect([offline.code, offline.stdout.includes('"treasurers"')]).toEqual([0, true]);
    const resolved = await cli(['policy', 'check', '--resolve-tags', file]);
    expect([resolved.code, resolved.stdout.includes(treasurers)]).toEqual([0, true]);
    const wrong = join(folder, 'wrong.json');
    await writeFile(wrong, JSON.stringify({ policyName: 'p', effect: 'EFFECT_ALLOW', consensus: consensus('traesurers') }));
    expect((await cli(['policy', 'check', '--resolve-tags', wrong])).stderr).toContain('did you mean `treasurers`?');

    const cases = join(folder, 'a.cases.json');
    const request = { name: 'a treasurer', type: 'ACTIVITY_TYPE_CREATE_WALLET', approvers: ['u'], expect: 'ALLOW' };
    await writeFile(
      cases,
      JSON.stringify({ users: [{ id: 'u', alias: 'u', tags: [treasurers] }], policies: 'policy.json', cases: [request] }),
    );
    expect((await cli(['policy', 'test', cases])).code).toBe(1);
    expect((await cli(['policy', 'test', '--resolve-tags', cases])).stdout).toContain('1 passed, 0 failed');
    expect((await cli(['policy', 'backtest', '--policy', file, '--last', '10'])).stdout).toContain('The change');
  });
});
