import { createHash, randomUUID } from 'node:crypto';
import { signInTypes } from '@countersign/contract';
import { p256 } from '@noble/curves/nist.js';
import { describe, expect, test } from 'vitest';
import { fileRootKey, nextFileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import { rotateRootKey } from '../../../src/vault/root-key/rotate-root-key.ts';
import { fromHex, Installation } from '../support.ts';

const request = { type: 'ACTIVITY_TYPE_OTP_LOGIN', timestampMs: 1_700_000_000_000, parameters: { publicKey: 'k' } };
const [here, there] = [randomUUID(), randomUUID()];

describe('sign-in keys', () => {
  test('each organization has its own, the same in every vault of the installation, and after a rotation', async () => {
    const [installation, elsewhere] = [await Installation.create(), await Installation.create()];
    const vault = await installation.open();
    const key = vault.service.signInKey(here);
    expect(key).toMatch(/^0[23][0-9a-f]{64}$/);
    expect((await installation.open()).service.signInKey(here)).toBe(key);
    const others = [vault.service.signInKey(there), (await elsewhere.open()).service.signInKey(here)];
    expect(new Set([key, ...others]).size).toBe(3);
    await installation.addOrganization(vault, here);
    vault.close();
    const { store, rootKeyFile } = installation;
    await rotateRootKey({ store, from: fileRootKey(rootKeyFile), to: nextFileRootKey(rootKeyFile) });
    expect((await installation.open()).service.signInKey(here)).toBe(key);
  });

  test('D216: a key signs a body that the vault wrote, for its own organization', async () => {
    const { service } = await (await Installation.create()).open();
    const parameters = { organizationId: there, type: 'ACTIVITY_TYPE_CREATE_USERS_V3' };
    const { body, signature } = await service.signSignIn(here, { ...request, parameters });
    expect(JSON.parse(Buffer.from(body).toString())).toEqual({
      type: request.type,
      timestampMs: '1700000000000',
      organizationId: here,
      parameters,
    });
    const digest = createHash('sha256').update(body).digest();
    const verifies = (organizationId: string) =>
      p256.verify(signature, digest, fromHex(service.signInKey(organizationId)), { prehash: false });
    expect([verifies(here), verifies(there)]).toEqual([true, false]);
  });

  test('D216: it signs the types of signing in and signing up, and no other', async () => {
    const { service } = await (await Installation.create()).open();
    const signed = signInTypes;
    expect(signed).toEqual([
      'ACTIVITY_TYPE_INIT_OTP',
      'ACTIVITY_TYPE_VERIFY_OTP',
      'ACTIVITY_TYPE_OTP_LOGIN',
      'ACTIVITY_TYPE_OAUTH_LOGIN',
      'ACTIVITY_TYPE_INIT_OTP_V3',
      'ACTIVITY_TYPE_VERIFY_OTP_V2',
      'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
      'ACTIVITY_TYPE_OAUTH2_AUTHENTICATE',
    ]);
    for (const type of signed) await service.signSignIn(here, { ...request, type });
    const others = [
      'ACTIVITY_TYPE_STAMP_LOGIN',
      'ACTIVITY_TYPE_CREATE_USERS_V3',
      'ACTIVITY_TYPE_APPROVE_ACTIVITY',
      'toString',
      '',
    ];
    for (const type of others) await expect(service.signSignIn(here, { ...request, type })).rejects.toThrow('does not sign');
    for (const id of ['', here.toUpperCase(), `${here} `])
      await expect(service.signSignIn(id, request)).rejects.toThrow('organization');
  });

  test('a closed vault signs nothing', async () => {
    const vault = await (await Installation.create()).open();
    vault.close();
    await expect(vault.service.signSignIn(here, request)).rejects.toThrow('closed');
    expect(() => vault.service.signInKey(here)).toThrow('closed');
  });
});
