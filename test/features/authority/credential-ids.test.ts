import { expect, test } from 'vitest';
import { toCborBytes } from '../../../packages/server/src/auth/webauthn/cbor.ts';
import { readCredentialId } from '../../../packages/server/src/auth/webauthn/credential-id.ts';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Caller, post } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createSubOrganization, errorOf } from '../../support/world.ts';
import { passkeyParams, stampWithPasskey } from '../catalogue/support/passkeys.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';

const cborOf = (id: Uint8Array) => Buffer.from(toCborBytes(id)).toString('base64url');

/** Posts a login whose stamp has the CBOR spelling of the id. */
function loginWithCbor(caller: Caller, passkey: SoftwareAuthenticator, organizationId: string) {
  const bytes = Buffer.from(caller.submitBody('stampLogin', { publicKey: newApiKey().publicKey }, { organizationId }));
  const stamp = JSON.parse(stampWithPasskey(passkey, bytes));
  const headers = { 'x-stamp-webauthn': JSON.stringify({ ...stamp, credentialId: cborOf(passkey.credentialId) }) };
  return () => post(caller.url + caller.submitPath('stampLogin'), bytes, headers);
}

/** Registers a passkey for the root user of a sub-organization, with the CBOR spelling. */
async function register({ caller, userId }: Awaited<ReturnType<typeof createSubOrganization>>, passkey: SoftwareAuthenticator) {
  const params = passkeyParams(passkey);
  const attestation = { ...params.attestation, credentialId: cborOf(passkey.credentialId) };
  await caller.result('createAuthenticators', { userId, authenticators: [{ ...params, attestation }] });
}

describeEngines('the CBOR spelling of a credential id', (subject) => {
  const root = () => subject().service.root;

  test('D286: works at registration, in stamps, under the parent’s id, in filters and in audit files', async () => {
    const passkey = new SoftwareAuthenticator();
    const sub = await createSubOrganization(root());
    await register(sub, passkey);
    for (const organizationId of [sub.organizationId, root().organizationId]) {
      const send = loginWithCbor(root(), passkey, organizationId);
      const answer = await send();
      expect(answer.body.activity?.organizationId ?? answer.body).toBe(sub.organizationId);
      // The same stamp gets the same activity.
      expect((await send()).body.activity.id).toBe(answer.body.activity.id);
    }
    const filterType = 'CREDENTIAL_ID';
    for (const filterValue of [cborOf(passkey.credentialId), passkey.credentialId.toString('base64url')])
      expect((await root().data('listSuborgs', { filterType, filterValue })).organizationIds).toEqual([sub.organizationId]);
    expect(await verifyText(await exportAudit(sub.caller), await logKey(root().url))).toMatchObject({ ok: true });
  });

  test('D286: an id that is registered as it is written comes before the id in its CBOR form', async () => {
    const [inner, outer] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
    Object.assign(outer, { credentialId: Buffer.from(toCborBytes(inner.credentialId)) });
    const sub = await createSubOrganization(root());
    await register(sub, inner);
    expect((await loginWithCbor(root(), inner, sub.organizationId)()).status).toBe(200);
    await register(sub, outer);
    // The spelling now names the other passkey, and no passkey stamps as another one.
    const answer = await loginWithCbor(root(), inner, sub.organizationId)();
    expect(errorOf(answer)).toMatchObject({ status: 401 });
    expect((await loginWithCbor(root(), outer, sub.organizationId)()).status).toBe(200);
  });
});

test('D286: only the shortest form of one byte string is another spelling', () => {
  const id = Buffer.alloc(32, 7);
  const text = (bytes: Buffer) => bytes.toString('base64url');
  expect(readCredentialId(cborOf(id))).toEqual([cborOf(id), text(id)]);
  expect(readCredentialId(`${text(Buffer.alloc(16, 7))}==`)).toEqual([text(Buffer.alloc(16, 7))]);
  for (const bytes of [
    Buffer.concat([Buffer.of(0x59, 0, 32), id]),
    Buffer.concat([Buffer.of(0x58, 32), id, Buffer.of(0)]),
    Buffer.concat([Buffer.of(0x58, 33), id]),
    Buffer.of(0x40),
  ])
    expect(readCredentialId(text(bytes))).toEqual([text(bytes)]);
  expect(readCredentialId('not base64url!')).toBeUndefined();
});
