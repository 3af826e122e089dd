import { beforeAll, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, type Member, privateKeyParams, signParams } from '../../support/world.ts';
import {
  approve,
  createOrganization,
  createPolicy,
  detailsOf,
  type Organization,
  outcomeOf,
  reject,
  someOf,
  submitPending,
} from './support.ts';

const RACES = Number(process.env.RACES ?? 60);

describeEngines('races between votes', (subject) => {
  let organization: Organization;
  let members: readonly [Member, Member, Member];
  let key: string;

  beforeAll(async () => {
    organization = await createOrganization(subject().service.root, { members: 3 });
    members = organization.members as unknown as [Member, Member, Member];
    key = await createPrivateKey(organization.root);
    const consensus = someOf(2, members);
    await createPolicy(organization.root, 'ALLOW', { condition: "activity.action in ['SIGN', 'CREATE']", consensus });
  });

  test(`${RACES} races of an approval against a rejection: one terminal state, at most one execution`, async () => {
    const [a, b, c] = members;
    const races = Array.from({ length: RACES }, (_, race) => race);
    const ends = new Set<string>();
    // In groups, so that votes on different activities run concurrently as well.
    for (let begin = 0; begin < races.length; begin += 20) {
      const pending = await Promise.all(
        races.slice(begin, begin + 20).map(() => submitPending(a.caller, 'signRawPayload', signParams(key))),
      );
      await Promise.all(
        pending.map(async (activity, index) => {
          const votes = [() => approve(b, activity), () => reject(c, activity)];
          const order = index % 2 === 0 ? votes : [...votes].reverse();
          const answers = (await Promise.all(order.map((vote) => vote()))).map(outcomeOf);
          const { status, votes: cast, result } = await detailsOf(a.caller, activity.id);
          const completed = status === 'ACTIVITY_STATUS_COMPLETED';
          ends.add(status);
          const sane = completed ? ['200 COMPLETED', '400 PRECONDITION_FAILED'] : ['200 REJECTED', '400 PRECONDITION_FAILED'];
          expect([...answers].sort()).toEqual(sane);
          expect(cast).toHaveLength(2);
          expect(Object.keys(result)).toEqual(completed ? ['signRawPayloadResult'] : []);
        }),
      );
    }
    expect([...ends].sort()).toEqual(['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_REJECTED']);
  });

  test('20 races of two last approvals: one execution', async () => {
    const [a, b, c] = members;
    const before = (await a.caller.data('listPrivateKeys')).privateKeys.length;
    for (let group = 0; group < 2; group++) {
      const pending = await Promise.all(
        Array.from({ length: 10 }, () =>
          submitPending(a.caller, 'createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_P256')] }),
        ),
      );
      await Promise.all(
        pending.map(async (activity) => {
          const answers = await Promise.all([approve(b, activity), approve(c, activity)]);
          expect(answers.map(outcomeOf).sort()).toEqual(['200 COMPLETED', '400 PRECONDITION_FAILED']);
          const { status, votes } = await detailsOf(a.caller, activity.id);
          expect([status, votes.length]).toEqual(['ACTIVITY_STATUS_COMPLETED', 2]);
        }),
      );
    }
    expect((await a.caller.data('listPrivateKeys')).privateKeys).toHaveLength(before + 20);
  });

  test('of two users who send the same new body at once, one submits and the other approves', async () => {
    const [a, b] = members;
    for (let race = 0; race < 10; race++) {
      const params = race % 2 === 0 ? signParams(key) : { privateKeys: [privateKeyParams('CURVE_P256')] };
      const name = race % 2 === 0 ? 'signRawPayload' : 'createPrivateKeys';
      const body = a.caller.submitBody(name, params);
      const answers = await Promise.all([a, b].map(({ caller }) => caller.send(caller.submitPath(name), body)));
      expect(answers.map(outcomeOf).sort()).toEqual(['200 COMPLETED', '200 CONSENSUS_NEEDED']);
      expect((await detailsOf(a.caller, answers[0]?.body.activity.id)).votes).toHaveLength(2);
    }
  });
});
