import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeyReference } from '../../../packages/server/src/vault/vault.ts';
import { type Engine, engines, type Installation } from '../../support/installation.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createPrivateKey, createSubOrganization, signParams } from '../../support/world.ts';
import { approve, outcomeOf, policyParams, submitPending, userIs } from '../policies/support.ts';
import { DENIED, DONE, FROZEN } from './freeze-support.ts';

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
  async function cachedKey(root = nodes[0].root, organizationId = nodes[0].first.organizationId) {
    const privateKeyId = await createPrivateKey(root);
    const sign = () => root.with({ url: nodes[1].url }).submit('signRawPayload', signParams(privateKeyId));
    expect(outcomeOf(await sign())).toBe(DONE);
    const { services } = nodes[1];
    const key = await services.organizations.resources.get(organizationId, 'privateKey', privateKeyId);
    const publicKey = new Uint8Array(Buffer.from(key?.body.publicKey ?? '', 'hex'));
    const reference: KeyReference = { kind: 'privateKey', id: privateKeyId, curve: 'CURVE_SECP256K1' };
    /** Whether the vault of the second node still has the key when its row is gone. */
    const isInMemory = () =>
      services.vault.keys.sign(organizationId, reference, publicKey, [{ kind: 'ecdsa', digest: new Uint8Array(32) }]).then(
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

  test('D651: a freeze that is denied or pending leaves keys in memory, and its execution takes them out', async () => {
    const { root, first } = nodes[0];
    const [stranger, member] = [await createMember(root), await createMember(root)];
    const consensus = `${userIs(member)} && approvers.any(user, user.id == '${first.userId}')`;
    await root.result('createPolicy', policyParams('ALLOW', { condition: "activity.resource == 'FREEZE'", consensus }));
    const key = await cachedKey();
    const sub = await createSubOrganization(root);
    const later = await cachedKey(sub.caller, sub.organizationId);
    for (const { privateKeyId } of [key, later]) await raw.run('DELETE FROM secrets WHERE id = ?', privateKeyId);
    const freeze = { privateKeyIds: [key.privateKeyId], reason: 'stolen laptop' };
    expect(outcomeOf(await stranger.caller.submit('freeze', freeze))).toBe(DENIED);
    const pending = await submitPending(member.caller, 'freeze', freeze);
    // The log has an order: once this one is gone, the second node has seen the others.
    const marker = { privateKeyIds: [later.privateKeyId], reason: 'stolen laptop' };
    expect(outcomeOf(await sub.caller.submit('freeze', marker))).toBe(DONE);
    await expect.poll(later.isInMemory).toBe(false);
    expect(await key.isInMemory()).toBe(true);
    expect(outcomeOf(await approve({ caller: root }, pending))).toBe(DONE);
    await expect.poll(key.isInMemory).toBe(false);
  });

  test('D651: a signature that was authorized before a freeze does not leave the key in memory', async () => {
    const key = await cachedKey();
    const other = await cachedKey();
    const { services } = nodes[1];
    const { vault } = services;
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reached = () => {};
    const waits = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const sign: typeof vault.keys.sign = async (...values) => {
      reached();
      await gate;
      return vault.keys.sign(...values);
    };
    Object.assign(services, { vault: { ...vault, keys: { ...vault.keys, sign } } });
    const signing = key.sign();
    await waits;
    Object.assign(services, { vault });
    await raw.run('DELETE FROM secrets WHERE id = ?', other.privateKeyId);
    const freeze = { privateKeyIds: [key.privateKeyId], reason: 'stolen laptop' };
    expect(outcomeOf(await nodes[0].root.submit('freeze', freeze))).toBe(DONE);
    // The second node has forgotten the keys of the organization.
    await expect.poll(other.isInMemory).toBe(false);
    release();
    expect(outcomeOf(await signing)).toBe(FROZEN);
    await raw.run('DELETE FROM secrets WHERE id = ?', key.privateKeyId);
    expect(await key.isInMemory()).toBe(false);
  });
});
