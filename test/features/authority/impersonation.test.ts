import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { errorOf } from '../../support/world.ts';
import { approve, createOrganization, createPolicy, memberAt, outcomeOf, submitPending } from '../policies/support.ts';
import { login, readWriteSession } from '../sign-in/sessions-support.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

/** The policy that lets a backend sign people in. */
const SIGN_IN = { condition: "activity.resource == 'AUTH' && activity.action == 'CREATE'" };

describeEngines('sessions for other users', (subject) => {
  const create = (choice: object) => createOrganization(subject().service.root, choice);
  const sessionOf = (userId: string) => ({ targetPublicKey: newTarget().hex, userId });

  test('A01: a backend that may sign users in cannot open a session of a root user', async () => {
    const { root, roots, members } = await create({ roots: 2, members: 1 });
    const backend = memberAt({ members }, 0);
    await createPolicy(root, 'ALLOW', SIGN_IN);
    for (const { userId } of roots) {
      const answer = await backend.caller.submit('createReadWriteSession', sessionOf(userId));
      expect(errorOf(answer)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      // The same for every other user, so that it does not tell who is a root user.
      expect(answer.body.message).toContain('act as another user without proof');
    }
  });

  test('A01: nor of any other user, and the error says why', async () => {
    const { root, members } = await create({ members: 2 });
    const [backend, victim] = [memberAt({ members }, 0), memberAt({ members }, 1)];
    await createPolicy(root, 'ALLOW', SIGN_IN);
    const answer = await backend.caller.submit('createReadWriteSession', sessionOf(victim.userId));
    expect(errorOf(answer)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    expect(answer.body.message).toContain('act as another user without proof');
  });

  test('A01: the full root quorum may, for users outside the quorum', async () => {
    const organization = await create({ roots: 2, threshold: 2, members: 1 });
    const [first, second] = organization.roots;
    const { userId } = memberAt(organization, 0);
    const pending = await submitPending(organization.root, 'createReadWriteSession', sessionOf(userId));
    expect(outcomeOf(await approve(second as typeof first & object, pending))).toBe('200 COMPLETED');
    const other = await organization.root.submit('createReadWriteSession', sessionOf((second as { userId: string }).userId));
    expect(errorOf(other)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
  });

  test('users open their own sessions with an API key, a session or a login', async () => {
    const { members } = await create({ members: 1 });
    const { caller, userId } = memberAt({ members }, 0);
    const session = await readWriteSession(caller, { userId });
    expect(await (await login(session)).data('whoami')).toMatchObject({ userId });
  });
});
