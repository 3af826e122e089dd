import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, createSubOrganization, errorOf } from '../../support/world.ts';

const ready = async (url: string) => {
  const response = await fetch(new URL('/readyz', url));
  return [response.status, await response.text()] as const;
};

describeEngines('D62: readiness with damaged rows', (subject) => {
  const damage = (organizationId: string) =>
    subject().raw.run("UPDATE records SET body = body || ' ' WHERE organization_id = ? AND kind = 'user'", organizationId);

  test('one damaged organization is reported as degraded, and others are served', async () => {
    const { installation, service } = subject();
    const { organizationId, caller } = await createSubOrganization(service.root);
    expect(await damage(organizationId)).toBeGreaterThan(0);
    const strict = await startService(installation, { config: { unreadyWhenDegraded: true } });
    const lenient = await startService(installation);
    try {
      for (const { url, root } of [strict, lenient]) {
        expect(await ready(url)).toEqual([200, 'ready\n']);
        expect(errorOf(await caller.with({ url }).query('whoami'))).toMatchObject({ code: 'STATE_TAMPERED' });
        await createPrivateKey(root);
      }
      const degraded = "degraded: the stored state of 1 organization does not verify; run 'countersign doctor'\n";
      expect(await ready(lenient.url)).toEqual([200, `ready\n${degraded}`]);
      expect(await ready(strict.url)).toEqual([503, degraded]);
      const metrics = await (await fetch(new URL('/metrics', lenient.url))).text();
      expect(metrics).toMatch(/^countersign_tampered_organizations 1$/m);
    } finally {
      await strict.close();
      await lenient.close();
    }
  });

  test('damage of the operator’s organization makes the service unready', async () => {
    const { installation, service } = subject();
    const restarted = await startService(installation);
    try {
      expect(await ready(restarted.url)).toEqual([200, 'ready\n']);
      expect(await damage(service.first.organizationId)).toBeGreaterThan(0);
      const again = await startService(installation).catch((error: Error) => error);
      if (again instanceof Error) throw again;
      await expect.poll(() => ready(again.url)).toEqual([503, expect.stringContaining('does not verify')]);
      await again.close();
    } finally {
      await restarted.close();
    }
  });
});
