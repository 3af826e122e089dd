import { expect, test } from 'vitest';
import { post, resultOf } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createMember, createSubOrganization, errorOf, madeUpId, signParams } from '../../support/world.ts';
import { ask, MINUTES } from './sessions-support.ts';

describeEngines('read-only sessions', (subject) => {
  const root = () => subject().service.root;

  test('read as their user until they expire', async () => {
    const { caller, userId } = await createMember(root());
    const result = await caller.result('createReadOnlySession', {});
    const who = await caller.data('whoami');
    expect(result).toEqual({ ...who, session: expect.stringMatching(/^[\w-]{43}$/), sessionExpiry: expect.any(String) });
    expect(Number(result.sessionExpiry) - Date.now() / 1000).toBeGreaterThan(890);
    expect(Number(result.sessionExpiry) - Date.now() / 1000).toBeLessThanOrEqual(900);
    const headers = { 'x-session': result.session };
    expect((await ask(caller, headers)).body.activity.result).toMatchObject({ userId });
    expect((await ask(caller.with({ dialect: 'turnkey' }), headers)).body).toMatchObject({ userId });
    subject().service.setAheadMs(15 * MINUTES);
    expect(errorOf(await ask(caller, headers))).toEqual({ status: 401, code: 'SESSION_INVALID' });
    subject().service.setAheadMs(0);
  });

  test('can only read', async () => {
    const { caller } = await createMember(root());
    const { session } = await caller.result('createReadOnlySession', {});
    const before = await countRows(subject().raw);
    const body = Buffer.from(caller.submitBody('createReadOnlySession', {}));
    const answer = await post(caller.url + caller.submitPath('createReadOnlySession'), body, { 'x-session': session });
    expect(errorOf(answer)).toEqual({ status: 401, code: 'STAMP_MISSING' });
    expect(await countRows(subject().raw)).toEqual(before);
  });

  test('D10: a session together with a stamp is refused, whichever of the two is valid', async () => {
    const { caller } = await createMember(root());
    const { session } = await caller.result('createReadOnlySession', {});
    const body = JSON.stringify({ organizationId: caller.organizationId });
    for (const token of [session, 'nonsense']) {
      const answer = await caller.send(caller.queryPath('whoami'), body, { 'x-session': token });
      expect(errorOf(answer)).toEqual({ status: 401, code: 'STAMP_MALFORMED' });
      const submitted = await caller.send(
        caller.submitPath('signRawPayload'),
        caller.submitBody('signRawPayload', signParams('x')),
        {
          'x-session': token,
        },
      );
      expect(errorOf(submitted)).toEqual({ status: 401, code: 'STAMP_MALFORMED' });
    }
    const both = await ask(caller, { 'x-session': session, 'x-stamp-webauthn': '{}' });
    expect(errorOf(both)).toEqual({ status: 401, code: 'STAMP_MALFORMED' });
  });

  test('an unknown token, another organization and an unknown one get the same answer', async () => {
    const { caller } = await createMember(root());
    const elsewhere = await createSubOrganization(root());
    const { session } = await elsewhere.caller.result('createReadOnlySession', {});
    const { session: own } = await caller.result('createReadOnlySession', {});
    const answers = await Promise.all([
      ask(caller, { 'x-session': session }),
      ask(caller, { 'x-session': 'A'.repeat(43) }),
      ask(caller, { 'x-session': '' }),
      ask(caller, { 'x-session': `${own}, ${own}` }),
      ask(caller.with({ organizationId: madeUpId() }), { 'x-session': own }),
    ]);
    expect(answers.map(errorOf)).toEqual(answers.map(() => ({ status: 401, code: 'SESSION_INVALID' })));
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
  });

  test("a session of the parent's user reads sub-organizations too, but not the reverse", async () => {
    const { caller } = await createMember(root());
    const { session } = await caller.result('createReadOnlySession', {});
    const sub = await createSubOrganization(root());
    const read = await ask(caller.with({ organizationId: sub.organizationId }), { 'x-session': session });
    expect(read.body.activity.result.organizationId).toBe(caller.organizationId);
    const { session: below } = await sub.caller.result('createReadOnlySession', {});
    expect(errorOf(await ask(caller, { 'x-session': below }))).toEqual({ status: 401, code: 'SESSION_INVALID' });
  });

  test('end with their user', async () => {
    const { caller, userId } = await createMember(root());
    const { session } = await caller.result('createReadOnlySession', {});
    await root().result('deleteUsers', { userIds: [userId] });
    expect(errorOf(await ask(caller, { 'x-session': session }))).toEqual({ status: 401, code: 'SESSION_INVALID' });
  });

  test('the token is shown once, to its submitter, and stored nowhere', async () => {
    const { service, raw } = subject();
    const { caller } = await createMember(root());
    const body = caller.submitBody('createReadOnlySession', {});
    const path = caller.submitPath('createReadOnlySession');
    const first = await caller.send(path, body);
    const { session } = resultOf(first);
    const again = await caller.send(path, body);
    expect(again.body.activity.id).toBe(first.body.activity.id);
    expect(resultOf(again).session).toBe('');
    const { activity } = await root().data('getActivity', { activityId: first.body.activity.id });
    expect(JSON.stringify(activity)).not.toContain(session);
    expect((await raw.dump()).includes(session)).toBe(false);
    expect(service.logText()).not.toContain(session);
    expect((await ask(caller, { 'x-session': session })).status).toBe(200);
  });

  test('the eleventh read-only session replaces the oldest', async () => {
    const { caller } = await createMember(root());
    const tokens: string[] = [];
    for (let i = 0; i < 11; i++) tokens.push((await caller.result('createReadOnlySession', {})).session);
    expect((await ask(caller, { 'x-session': tokens[0] as string })).status).toBe(401);
    for (const token of tokens.slice(1)) expect((await ask(caller, { 'x-session': token })).status).toBe(200);
  });
});
