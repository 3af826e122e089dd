import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';
import { createOrganization } from './support.ts';

describe('two nodes on one PostgreSQL that change one organization at the same time', () => {
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

  test('D155: concurrent changes of both nodes succeed without a retry error, and signatures continue', async () => {
    const { root } = await createOrganization(nodes[0].root, { members: 1 });
    const key = await createPrivateKey(root);
    const callers = nodes.map(({ url }) => root.with({ url })) as [Caller, Caller];
    const order: number[] = [];
    const statuses: number[] = [];
    let name = 0;
    const write = async (node: number) => {
      const { status } = await (callers[node] as Caller).submit('createUserTag', {
        userTagName: `tag ${name++}`,
        userIds: [],
      });
      statuses.push(status);
      order.push(node);
    };
    const CHANGES = 16;
    const writer = async (node: number) => {
      for (let count = 0; count < CHANGES / 2; count++) await write(node);
    };
    let writing = true;
    const signer = async (node: number) => {
      let signed = 0;
      while (writing) {
        const { status } = await (callers[node] as Caller).submit('signRawPayload', signParams(key, `${node} ${signed++}`));
        statuses.push(status);
      }
      return signed;
    };
    const signers = [signer(0), signer(1)];
    await Promise.all([writer(0), writer(0), writer(1), writer(1)]);
    writing = false;
    const signed = await Promise.all(signers);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(Math.min(...signed)).toBeGreaterThan(0);
    // Changes of the two alternate: neither node waits until the other has made all of its own.
    const both = order.slice(0, Math.min(order.lastIndexOf(0), order.lastIndexOf(1)) + 1);
    const made = [0, 1].map((node) => both.filter((each) => each === node).length);
    expect(Math.min(...made)).toBeGreaterThanOrEqual(2);
  });
});
