import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import type { Member } from '../../support/world.ts';
import { approve, outcomeOf, submitPending } from '../policies/support.ts';
import { DONE, FROZEN, freeze, treasury } from './freeze-support.ts';

describe('freeze on two nodes of one PostgreSQL', () => {
  let installation: Installation;
  let nodes: readonly [TestService, TestService];

  beforeAll(async () => {
    installation = await engines.postgres();
    nodes = [await startService(installation), await startService(installation)];
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close();
    await installation?.remove();
  });

  const there = ({ caller, ...member }: Member): Member => ({ ...member, caller: caller.with({ url: nodes[1].url }) });

  test('D305: a freeze on one node holds on the other as soon as it is answered', async () => {
    const { a, b, signer, sign, walletId } = await treasury(nodes[0].root);
    const all = { wholeOrganization: true, userIds: [signer.userId], walletIds: [walletId] };
    for (const target of ['wholeOrganization', 'userIds', 'walletIds'] as const) {
      // The other node has the organization cached as it was.
      expect(outcomeOf(await sign(there(signer)))).toBe(DONE);
      expect((await there(signer).caller.data('whoami')).userId).toBe(signer.userId);
      expect(outcomeOf(await freeze(a, { [target]: all[target] }))).toBe(DONE);
      expect(outcomeOf(await sign(there(signer)))).toBe(FROZEN);
      if (target === 'userIds') expect(outcomeOf(await there(signer).caller.query('listWallets'))).toBe(FROZEN);
      const pending = await submitPending(there(a).caller, 'unfreeze', { [target]: all[target] });
      expect(outcomeOf(await approve(b, pending))).toBe(DONE);
    }
    expect(outcomeOf(await sign(there(signer)))).toBe(DONE);
  });

  test('D305: signatures in flight on the other node are not released after the freeze', async () => {
    const { a, signer, sign, walletId } = await treasury(nodes[0].root);
    expect(outcomeOf(await sign(there(signer)))).toBe(DONE);
    const before = Array.from({ length: 30 }, () => sign(there(signer)));
    expect(outcomeOf(await freeze(a, { walletIds: [walletId] }))).toBe(DONE);
    const after = Array.from({ length: 10 }, () => sign(there(signer)));
    for (const answer of await Promise.all(before)) expect([DONE, FROZEN]).toContain(outcomeOf(answer));
    for (const answer of await Promise.all(after)) expect(outcomeOf(answer)).toBe(FROZEN);
  });
});
