import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeyReference } from '../../../packages/server/src/vault/vault.ts';
import { type Engine, engines, type Installation } from '../../support/installation.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';
import { outcomeOf } from '../policies/support.ts';
import { DONE } from './freeze-support.ts';

describe.each(Object.keys(engines) as Engine[])('D584: keys that ended on another node, on %s', (engine) => {
  let installation: Installation;
  let nodes: readonly [TestService, TestService];
  let raw: RawDatabase;

  beforeAll(async () => {
    installation = await engines[engine]();
    nodes = [await startService(installation), await startService(installation)];
    raw = await installation.raw();
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close();
    await installation?.remove();
  });

  /** A key that signed on the second node, which then has it in plain in its memory. */
  async function cachedKey() {
    const { root } = nodes[0];
    const privateKeyId = await createPrivateKey(root);
    const sign = () => root.with({ url: nodes[1].url }).submit('signRawPayload', signParams(privateKeyId));
    expect(outcomeOf(await sign())).toBe(DONE);
    const { services, first } = nodes[1];
    const key = await services.organizations.resources.get(first.organizationId, 'privateKey', privateKeyId);
    const publicKey = new Uint8Array(Buffer.from(key?.body.publicKey ?? '', 'hex'));
    const reference: KeyReference = { kind: 'privateKey', id: privateKeyId, curve: 'CURVE_SECP256K1' };
    /** Whether the vault of the second node still has the key when its row is gone. */
    const isInMemory = () =>
      services.vault.keys.sign(first.organizationId, reference, publicKey, [{ kind: 'ecdsa', digest: new Uint8Array(32) }]).then(
        () => true,
        () => false,
      );
    return { privateKeyId, sign, isInMemory };
  }

  test.each(['disablePrivateKey', 'freeze', 'deletePrivateKeys'] as const)(
    'D584: %s takes a key out of the memory of every node',
    async (operation) => {
      const ended = await cachedKey();
      const other = await cachedKey();
      const { privateKeyId } = ended;
      const parameters = {
        disablePrivateKey: { privateKeyId },
        freeze: { privateKeyIds: [privateKeyId], reason: 'stolen laptop' },
        deletePrivateKeys: { privateKeyIds: [privateKeyId], deleteWithoutExport: true },
      }[operation];
      await raw.run('DELETE FROM secrets WHERE id = ?', privateKeyId);
      expect(await ended.isInMemory()).toBe(true);
      expect(outcomeOf(await nodes[0].root.submit(operation, parameters))).toBe(DONE);
      await expect.poll(ended.isInMemory).toBe(false);
      expect(outcomeOf(await other.sign())).toBe(DONE);
    },
  );
});
