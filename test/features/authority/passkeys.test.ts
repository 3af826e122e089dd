import { sign, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  attestationCertificate,
  authenticatorMaker,
  type Certified,
} from '../../../packages/server/test/auth/attestation-certificate.ts';
import type { Writable } from '../../../packages/server/test/auth/cbor-writer.ts';
import {
  ATTESTED,
  BACKED_UP,
  BACKUP_ELIGIBLE,
  type Bend,
  type RegistrationBend,
  SoftwareAuthenticator,
  UP,
  UV,
} from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines, type Subject } from '../../support/describe-engines.ts';
import { createSubOrganization, errorOf, subOrganizationParams } from '../../support/world.ts';
import { createOrganization } from '../catalogue/support/organizations.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';

type Holder = Awaited<ReturnType<typeof createSubOrganization>>;

/** The answer to a registration for the holder: the error, or undefined. */
async function register({ caller, userId }: Holder, passkey: SoftwareAuthenticator, bend?: RegistrationBend): Promise<Json> {
  return (await caller.submit('createAuthenticators', { userId, authenticators: [passkeyParams(passkey, bend)] })).body;
}

/** Asks who the passkey is, stamped with it. */
function ask({ caller }: Holder, passkey: SoftwareAuthenticator, bend?: Bend) {
  const { organizationId } = caller;
  return sendWithPasskey(caller, passkey, caller.queryPath('whoami'), JSON.stringify({ organizationId }), bend);
}

const demand = (caller: Caller, name: string, value: string) => caller.result('setOrganizationFeature', { name, value });

/** Why the last request was refused, which the service does not tell callers. */
function lastReason({ service }: Subject): Json {
  const lines = service.logText().trim().split('\n');
  return lines.map((line) => JSON.parse(line)).findLast(({ msg }) => msg === 'request refused')?.reason;
}

const refusedStamp = { status: 401, code: 'SIGNATURE_INVALID' };

describeEngines('passkeys by default', (subject) => {
  const newHolder = () => createSubOrganization(subject().service.root);

  test('A24: a passkey without user verification can neither register nor stamp', async () => {
    const holder = await newHolder();
    const passkey = new SoftwareAuthenticator();
    const unverified = await register(holder, passkey, { flags: UP | ATTESTED });
    expect(unverified).toMatchObject({ errorCode: 'INVALID_ATTESTATION' });
    expect(unverified.message).toContain('userVerification "required"');
    expect((await register(holder, passkey)).errorCode).toBeUndefined();
    expect(errorOf(await ask(holder, passkey, { flags: UP }))).toEqual(refusedStamp);
    expect(lastReason(subject())).toBe('USER_NOT_VERIFIED');
    expect((await ask(holder, passkey)).status).toBe(200);
  });

  test('A24: only root users can allow such passkeys for the organization', async () => {
    const holder = await newHolder();
    const passkey = new SoftwareAuthenticator();
    const name = 'FEATURE_NAME_WEBAUTHN_USER_VERIFICATION';
    await demand(holder.caller, name, 'preferred');
    expect((await register(holder, passkey, { flags: UP | ATTESTED })).errorCode).toBeUndefined();
    expect((await ask(holder, passkey, { flags: UP })).status).toBe(200);
    await demand(holder.caller, name, 'required');
    expect(errorOf(await ask(holder, passkey, { flags: UP }))).toEqual(refusedStamp);
    for (const value of ['', 'discouraged', 'Required'])
      expect(errorOf(await holder.caller.submit('setOrganizationFeature', { name, value }))).toMatchObject({ fields: ['value'] });
  });

  test('A25: a passkey whose backup eligibility changes is refused', async () => {
    const holder = await newHolder();
    const [bound, synced] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
    await register(holder, bound);
    await register(holder, synced, { flags: UP | UV | ATTESTED | BACKUP_ELIGIBLE });
    for (const [passkey, flags] of [
      [bound, UP | UV | BACKUP_ELIGIBLE],
      [bound, UP | UV | BACKUP_ELIGIBLE | BACKED_UP],
      [synced, UP | UV],
    ] as const) {
      expect(errorOf(await ask(holder, passkey, { flags }))).toEqual(refusedStamp);
      expect(lastReason(subject())).toBe('BACKUP_ELIGIBILITY_CHANGED');
    }
    expect((await ask(holder, bound)).status).toBe(200);
    for (const flags of [UP | UV | BACKUP_ELIGIBLE, UP | UV | BACKUP_ELIGIBLE | BACKED_UP])
      expect((await ask(holder, synced, { flags })).status).toBe(200);
  });

  test('A26: an https origin that is unrelated to the relying party is refused', async () => {
    const holder = await newHolder();
    const passkey = new SoftwareAuthenticator();
    const origin = 'https://evil.test';
    expect(await register(holder, passkey, { origin })).toMatchObject({ errorCode: 'INVALID_ATTESTATION' });
    await register(holder, passkey);
    for (const unrelated of [origin, 'https://example.com.evil.test', 'https://notexample.com', 'http://localhost:3000']) {
      expect(errorOf(await ask(holder, passkey, { origin: unrelated }))).toEqual(refusedStamp);
      expect(lastReason(subject())).toBe('WRONG_ORIGIN');
    }
    for (const related of ['https://example.com', 'https://www.example.com:8443'])
      expect((await ask(holder, passkey, { origin: related })).status).toBe(200);
  });

  test('A28: the parent’s allowed origins apply to passkeys of its sub-organizations', async () => {
    const parent = await createOrganization(subject().service.root, subject().service);
    const holder = await createSubOrganization(parent);
    const [early, late] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
    await register(holder, early);
    await parent.result('updateAllowedOrigins', { allowedOrigins: ['https://shop.example.com'] });
    expect(await register(holder, late)).toMatchObject({ errorCode: 'INVALID_ATTESTATION' });
    expect(errorOf(await ask(holder, early))).toEqual(refusedStamp);
    const listed = { origin: 'https://shop.example.com' };
    expect((await register(holder, late, listed)).errorCode).toBeUndefined();
    expect((await ask(holder, late, listed)).status).toBe(200);
    await holder.caller.result('updateAllowedOrigins', { allowedOrigins: [late.origin] });
    expect((await ask(holder, late)).status).toBe(200);
    expect(errorOf(await ask(holder, late, listed))).toEqual(refusedStamp);
  });

  test('A28: a parent that allows passkeys without user verification allows them in its sub-organizations', async () => {
    const parent = await createOrganization(subject().service.root, subject().service);
    const holder = await createSubOrganization(parent);
    const passkey = new SoftwareAuthenticator();
    const touch = { flags: UP | ATTESTED };
    expect(await register(holder, passkey, touch)).toMatchObject({ errorCode: 'INVALID_ATTESTATION' });
    await demand(parent, 'FEATURE_NAME_WEBAUTHN_USER_VERIFICATION', 'preferred');
    expect((await register(holder, passkey, touch)).errorCode).toBeUndefined();
    expect((await ask(holder, passkey, { flags: UP })).status).toBe(200);
  });

  test('A27: a list of models needs a trusted attestation root', async () => {
    const { caller } = await newHolder();
    const feature = { name: 'FEATURE_NAME_WEBAUTHN_AAGUIDS', value: '2fc0579f-8113-47ea-b116-bb5a8db9202a' };
    expect(errorOf(await caller.submit('setOrganizationFeature', feature))).toMatchObject({ code: 'PRECONDITION_FAILED' });
  });
});

const maker = authenticatorMaker();

describeEngines(
  'passkeys of certain authenticator models',
  (subject) => {
    const aaguid = Buffer.from('2fc0579f811347eab116bb5a8db9202a', 'hex');
    const genuine = maker.certify({ aaguid });
    const attestedBy = ({ certificate, privateKey }: Certified): RegistrationBend => ({
      format: 'packed',
      aaguid,
      statement: (authData, hash) =>
        new Map<Writable, Writable>([
          ['alg', -7],
          ['sig', sign('sha256', Buffer.concat([authData, hash]), privateKey)],
          ['x5c', [certificate]],
        ]),
    });
    const list = (caller: Caller) => demand(caller, 'FEATURE_NAME_WEBAUTHN_AAGUIDS', '2FC0579F-8113-47ea-b116-bb5a8db9202a');

    test('A27: a software passkey that claims an allowed model is refused, an attested one registers', async () => {
      const holder = await createSubOrganization(subject().service.root);
      await list(holder.caller);
      const software = new SoftwareAuthenticator();
      for (const bend of [{}, { aaguid }, attestedBy(attestationCertificate({ aaguid }))]) {
        const answer = await register(holder, software, bend);
        expect(answer).toMatchObject({ errorCode: 'INVALID_ATTESTATION' });
        expect(answer.message).toContain('certain authenticator models');
      }
      const real = new SoftwareAuthenticator();
      expect((await register(holder, real, attestedBy(genuine))).errorCode).toBeUndefined();
      expect((await ask(holder, real)).status).toBe(200);
    });

    test('A27, A28: the parent’s list applies to its sub-organizations from their first root user', async () => {
      const parent = await createOrganization(subject().service.root, subject().service);
      const holder = await createSubOrganization(parent);
      await list(parent);
      expect(await register(holder, new SoftwareAuthenticator())).toMatchObject({ errorCode: 'INVALID_ATTESTATION' });
      expect((await register(holder, new SoftwareAuthenticator(), attestedBy(genuine))).errorCode).toBeUndefined();
      const params = subOrganizationParams(newApiKey());
      const create = (bend?: RegistrationBend) => {
        const rootUsers = params.rootUsers.map((user) => ({
          ...user,
          authenticators: [passkeyParams(new SoftwareAuthenticator(), bend)],
        }));
        return parent.submit('createSubOrganization', { ...params, rootUsers });
      };
      expect(errorOf(await create())).toMatchObject({ code: 'INVALID_ATTESTATION' });
      expect((await create(attestedBy(genuine))).status).toBe(200);
    });

    test.each(['', 'yubikey', '00000000-0000-0000-0000-000000000000', '2fc0579f-8113-47ea-b116-bb5a8db9202a,'])(
      '%j is no list of models',
      async (value) => {
        const { caller } = await createSubOrganization(subject().service.root);
        const feature = { name: 'FEATURE_NAME_WEBAUTHN_AAGUIDS', value };
        expect(errorOf(await caller.submit('setOrganizationFeature', feature))).toMatchObject({ fields: ['value'] });
      },
    );
  },
  { config: { webauthnAttestationRoots: [new X509Certificate(maker.pem)] } },
);
