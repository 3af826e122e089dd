import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService, type TestService } from '../../support/service.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { forge, forgedLogKey } from '../log/forge.ts';
import { createPolicy, memberAt, someOf } from '../policies/support.ts';
import { createLimited, type Limited, limitEther, limitSignatures, transferParams } from './support.ts';

const spends = "activity.action == 'SIGN' && controls.ether";

/** The leaves that counted, in order, with what was counted first. */
const countsIn = (leaves: Json[]): Json[] =>
  leaves.flatMap(({ content }) => (content?.decision?.usage ?? []).filter(({ counted }: Json) => counted !== undefined));

describeEngines('audit files of organizations with limits', (subject) => {
  let organization: Limited;
  let second: TestService;
  let text: string;
  let halfTimeMs: number;

  beforeAll(async () => {
    const { service, installation } = subject();
    second = await startService(installation);
    organization = await createLimited(service.root, spends, async (root) => {
      await limitEther(root, { threshold: '0.01', seconds: 600 });
      await limitSignatures(root, { threshold: '9', types: ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] });
    });
    const { root, spend, member, address } = organization;
    const other = memberAt(organization, 1);
    try {
      await Promise.all([3, 2, 1].map((thousandths, index) => spend(thousandths, index % 2 === 0 ? undefined : second.url)));
      expect((await spend(5)).status).toBe(403);
      halfTimeMs = Date.now();
      await createPolicy(root, 'ALLOW', { condition: spends, consensus: someOf(2, [member, other]) });
      const body = other.caller.submitBody('signTransaction', transferParams(address, 4));
      const path = other.caller.submitPath('signTransaction');
      expect((await other.caller.send(path, body)).body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      expect((await member.caller.send(path, body)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      service.setAheadMs(540_000);
      expect((await spend(1)).status).toBe(403);
      service.setAheadMs(700_000);
      expect((await spend(10)).status).toBe(200);
      expect((await root.submit('signTransaction', transferParams(address, 7))).status).toBe(200);
      text = await exportAudit(root);
    } finally {
      service.setAheadMs(0);
    }
    return () => second.close();
  });

  test('recomputes every sum with only the key of the log', async () => {
    const verdict = await verifyText(text, await logKey(subject().service.url));
    expect(verdict).toMatchObject({ ok: true, report: { countsChecked: 12 } });
  });

  test('a time range lists the sums that it takes from decisions', async () => {
    const part = await exportAudit(organization.root, { since: halfTimeMs });
    const verdict = await verifyText(part, await logKey(subject().service.url));
    expect(verdict.ok, JSON.stringify(verdict)).toBe(true);
    if (verdict.ok) {
      expect(verdict.report.countsChecked).toBe(6);
      expect(verdict.report.sumsTaken).toBeGreaterThan(0);
    }
  });

  describe('D138: counts forged with the key of the log', () => {
    const forgeries: readonly (readonly [string, RegExp, (leaves: Json[]) => unknown])[] = [
      [
        'a smaller amount',
        /counted 0.001, which is not the amount of the request/,
        (leaves) => {
          const usage = countsIn(leaves).find(({ counted }) => counted.amount === '0.01');
          usage.counted.amount = '0.001';
        },
      ],
      [
        'a smaller total',
        /does not add up at count/,
        (leaves) => {
          const usage = countsIn(leaves)[4];
          usage.counted.total = '0.001';
        },
      ],
      [
        'a smaller sum of the window, so that more fits',
        /which is not the sum of its counts/,
        (leaves) => {
          const usage = countsIn(leaves).find(({ used }) => used !== '0');
          usage.used = '0';
        },
      ],
      [
        'a time after which the window is empty',
        /which is not the sum of its counts|at an earlier time/,
        (leaves) => {
          const usage = countsIn(leaves).find(({ used }) => used !== '0');
          usage.atMs += 10_000_000;
        },
      ],
      [
        'no count at all, where no policy asked',
        /but limit \S+ did not count it|counted the wrong requests/,
        (leaves) => {
          const leaf = leaves.find(({ content }) => content?.decision?.usage?.some(({ counted }: Json) => counted !== undefined));
          leaf.content.decision.usage = leaf.content.decision.usage.filter(({ threshold }: Json) => threshold !== '9');
        },
      ],
      [
        'a number that was given out before',
        /went back from count|with a wrong revision/,
        (leaves) => {
          const usage = countsIn(leaves).filter(({ bucket }, _index, [first]) => bucket === first.bucket)[2];
          usage.revision -= 1;
          usage.counted.revision -= 1;
        },
      ],
      [
        'a number that leaves one out',
        /counts of limit \S+ are missing/,
        (leaves) => {
          const usage = countsIn(leaves).filter(({ bucket }, _index, [first]) => bucket === first.bucket)[2];
          usage.revision += 1;
          usage.counted.revision += 1;
        },
      ],
      [
        'the sum of a denial, to refuse what would have fitted',
        /which is not the sum of its counts/,
        (leaves) => {
          const leaf = leaves.find(
            ({ content }) => content?.decision?.outcome === 'DENY' && content.decision.usage !== undefined,
          );
          leaf.content.decision.usage[0].used = '0.0099';
        },
      ],
    ];

    test('control: the same leaves in another log verify', async () => {
      expect(
        await verifyText(
          forge(text, () => undefined),
          forgedLogKey,
        ),
      ).toMatchObject({ ok: true });
    });

    test.each(forgeries)('%s', async (_name, because, change) => {
      const verdict = await verifyText(forge(text, change), forgedLogKey);
      expect(verdict.ok).toBe(false);
      if (!verdict.ok) expect(verdict.failure.reason).toMatch(because);
    });
  });
});
