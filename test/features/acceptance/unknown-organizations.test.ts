import { expect, test, vi } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createSubOrganization, errorOf, madeUpId, uniqueName } from '../../support/world.ts';

describeEngines('unknown organizations', (subject) => {
  /** The response to a request, and the names of the store's reads that it caused, in order. */
  async function observe(send: () => ReturnType<Caller['query']>) {
    const { organizations, lookups, activities } = subject().service.services.store;
    const reads: string[] = [];
    const spies = [organizations, lookups, activities].flatMap((group) =>
      Object.keys(group).map((name) => {
        const methods = group as Record<string, (...args: unknown[]) => unknown>;
        const method = methods[name] as (...args: unknown[]) => unknown;
        return vi.spyOn(methods, name).mockImplementation((...args) => {
          reads.push(name);
          return method(...args);
        });
      }),
    );
    try {
      const answer = await send();
      return { ...errorOf(answer), message: answer.body.message, reads };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  const requests: Readonly<Record<string, (caller: Caller) => ReturnType<Caller['query']>>> = {
    'an activity': (caller) => caller.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [] }),
    'a query': (caller) => caller.query('listUsers', {}),
    'a query under the parent id': (caller) => caller.query('whoami'),
    'a sign-in': (caller) => caller.submit('stampLogin', { publicKey: newApiKey().publicKey }),
  };

  test.each(Object.keys(requests))(
    'D335: %s for an unknown organization gets the response for a known one, after the same reads of the store',
    async (name) => {
      const { root } = subject().service;
      const { caller: member, organizationId } = await createSubOrganization(root);
      const send = requests[name] as (caller: Caller) => ReturnType<Caller['query']>;
      // The owner's own request works, and caches the organization.
      expect((await send(member)).status).toBe(200);
      expect((await send(root)).status).toBe(200);
      const stranger = root.with({ key: newApiKey() });
      const known = await observe(() => send(stranger));
      const sub = await observe(() => send(stranger.with({ organizationId })));
      const unknown = await observe(() => send(stranger.with({ organizationId: madeUpId() })));
      expect(known.status).toBe(401);
      expect(known.reads.length).toBeGreaterThan(0);
      expect(unknown).toEqual(known);
      expect(sub).toEqual(known);
    },
  );
});
