import { beforeAll, describe, expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import type { Finding } from '../../../packages/server/src/commands/doctor/finding.ts';
import type { Answer } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { forgetCommits } from '../../support/forget-commits.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createVictim, type Victim } from '../../support/tamper/tamper-case.ts';
import { tamperCases } from '../../support/tamper/tamper-cases.ts';
import { createPrivateKey, errorOf, signParams } from '../../support/world.ts';

/** The answer holds no part of a signature. */
function expectNoSignature({ body }: Answer): void {
  expect(JSON.stringify(body)).not.toMatch(/"(r|s)":"[0-9a-f]{64}"/);
}

describeEngines('D62: someone edits the database', (subject) => {
  const done = new Map<string, { victim: Victim; running: Answer; profit: (url: string) => Promise<Answer> }>();
  let restarted: TestService;
  let findings: readonly Finding[];

  beforeAll(async () => {
    const { service, raw, installation } = subject();
    for (const { name, edit } of tamperCases) {
      const victim = await createVictim(service.root, raw);
      const profit = await edit(victim);
      done.set(name, { victim, profit, running: await profit(service.url) });
    }
    forgetCommits(installation);
    restarted = await startService(installation);
    findings = await runDoctor(restarted.config);
    return () => restarted.close();
  });

  const of = (name: string) => done.get(name) as NonNullable<ReturnType<typeof done.get>>;

  describe.each(tamperCases)('$name', ({ name, running, reported, onlyHere }) => {
    test(`a running service ${running === 'unimpressed' ? 'keeps using the state it verified' : `answers ${running}`}`, () => {
      const { running: answer, victim } = of(name);
      if (running === 'unimpressed') {
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        return;
      }
      expect(errorOf(answer)).toMatchObject({ code: running });
      expectNoSignature(answer);
      if (running !== 'STATE_TAMPERED') return;
      expect(answer.status).toBe(500);
      const heard = subject()
        .service.alarms()
        .filter(({ organizationId }) => organizationId === victim.organizationId);
      expect(heard.length).toBeGreaterThan(0);
    });

    test('a service that starts afterwards refuses, names the row and raises an alarm', async () => {
      const { profit, victim } = of(name);
      const answer = await profit(restarted.url);
      expect(errorOf(answer)).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
      expect(answer.body.message).toMatch(reported);
      expect(answer.body.message).toContain(victim.organizationId);
      expectNoSignature(answer);
      const heard = restarted.alarms().filter(({ organizationId }) => organizationId === victim.organizationId);
      expect(heard.at(-1)?.what).toMatch(reported);
      const { status } = await victim.caller.with({ url: restarted.url }).query('whoami');
      expect(status).toBe(onlyHere ? 200 : 500);
    });

    test('other organizations keep working', async () => {
      const neighbour = of(name).victim.neighbour.with({ url: restarted.url });
      const { status } = await neighbour.submit('signRawPayload', signParams(await createPrivateKey(neighbour)));
      expect(status).toBe(200);
    });

    test('doctor finds it', () => {
      const { organizationId } = of(name).victim;
      const found = findings.filter(({ ok, check }) => !ok && check.includes(organizationId));
      expect(found.map(({ detail }) => detail).join('\n')).toMatch(reported);
      for (const { fix } of found) expect(fix).toMatch(/backup/);
    });
  });

  test('alarms are counted', async () => {
    const metrics = await (await fetch(`${restarted.url}/metrics`)).text();
    const [, count] = /^countersign_state_alarms_total (\d+)$/m.exec(metrics) ?? [];
    expect(Number(count)).toBeGreaterThanOrEqual(tamperCases.length);
  });

  test('their parent organization is unaffected', async () => {
    const root = subject().service.root.with({ url: restarted.url });
    const { status } = await root.submit('signRawPayload', signParams(await createPrivateKey(root)));
    expect(status).toBe(200);
    expect(findings.filter(({ ok, check }) => !ok && check.includes(root.organizationId))).toEqual([]);
  });
});
