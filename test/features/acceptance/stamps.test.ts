import { beforeAll, describe, expect, test } from 'vitest';
import { SoftwareAuthenticator, sha256 } from '../../../packages/server/test/auth/software-authenticator.ts';
import { encodeStamp, newApiKey, type StampKind, stampFields, stampKinds } from '../../support/api-key.ts';
import { type Answer, type Caller, nextTimestampMs, post } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createMember, createPrivateKey, createSubOrganization, errorOf, madeUpId, signParams } from '../../support/world.ts';

const schemes = Object.keys(stampKinds) as StampKind[];

describeEngines('stamps', (subject) => {
  let root: Caller;
  let signWith: string;

  beforeAll(async () => {
    root = subject().service.root;
    signWith = await createPrivateKey(root);
  });

  /** Expects a refusal with this code that leaves no row behind. */
  async function expectRefused(send: () => Promise<Answer>, code: string, status = 401): Promise<void> {
    const before = await countRows(subject().raw);
    const answer = await send();
    expect(errorOf(answer)).toMatchObject({ status, code });
    expect(JSON.stringify(answer.body)).not.toMatch(/"r":|signRawPayloadResult/);
    expect(await countRows(subject().raw)).toEqual(before);
  }

  const signBody = (caller: Caller = root) => caller.submitBody('signRawPayload', signParams(signWith));
  const path = '/public/v1/submit/sign_raw_payload';
  const send = (body: string, headers: Record<string, string>) => post(root.url + path, Buffer.from(body), headers);

  describe.each(schemes)('%s', (scheme) => {
    let caller: Caller;

    beforeAll(async () => {
      ({ caller } = await createMember(root, scheme));
    });

    test('stamps queries and submits, as JSON in base64url', async () => {
      expect((await caller.query('whoami')).status).toBe(200);
      expect(errorOf(await caller.submit('signRawPayload', signParams(signWith)))).toMatchObject({ code: 'POLICY_DENIED' });
    });

    test('stamps in the dotted form, with the scheme of the registered key', async () => {
      const body = JSON.stringify({ organizationId: root.organizationId });
      const { publicKey, signature } = stampFields(caller.key, Buffer.from(body));
      const dotted = await caller.send('/public/v1/query/whoami', body, { 'x-stamp': `${publicKey}.${signature}` });
      // A key with two schemes uses the first one here. An Ethereum wallet names its scheme in the JSON form.
      if (scheme === 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191')
        expect(errorOf(dotted)).toMatchObject({ code: 'SIGNATURE_INVALID' });
      else expect(dotted.status).toBe(200);
    });

    test('D01: a body that was re-serialized after stamping is refused', async () => {
      const body = signBody();
      const stamp = encodeStamp(stampFields(caller.key, Buffer.from(body)));
      const { parameters, ...rest } = JSON.parse(body);
      for (const changed of [`${body} `, JSON.stringify({ parameters, ...rest }), JSON.stringify(JSON.parse(body), null, 1)]) {
        expect(changed).not.toBe(body);
        await expectRefused(() => send(changed, { 'x-stamp': stamp }), 'SIGNATURE_INVALID');
      }
    });

    test('D07: a well-formed signature of something else does not verify', async () => {
      const body = signBody();
      const { signature } = stampFields(caller.key, Buffer.from(`${body} `));
      const stamp = encodeStamp({ ...stampFields(caller.key, Buffer.from(body)), signature });
      await expectRefused(() => send(body, { 'x-stamp': stamp }), 'SIGNATURE_INVALID');
    });

    test.each(schemes.filter((other) => other !== scheme))('D09: a stamp that claims the scheme %s is refused', async (other) => {
      const body = signBody();
      const stamp = encodeStamp({ ...stampFields(caller.key, Buffer.from(body)), scheme: other });
      const sameLength = (stampKinds[other].curve === 'API_KEY_CURVE_ED25519') === (caller.key.curve === 'API_KEY_CURVE_ED25519');
      await expectRefused(() => send(body, { 'x-stamp': stamp }), sameLength ? 'SIGNATURE_INVALID' : 'STAMP_MALFORMED');
    });
  });

  type Bend = (der: Buffer, r: Buffer, s: Buffer) => Buffer;
  const tagged = (number: Buffer) => Buffer.concat([Buffer.of(0x02, number.length), number]);
  const sequence = (...numbers: Buffer[]) => {
    const content = Buffer.concat(numbers.map(tagged));
    return Buffer.concat([Buffer.of(0x30, content.length), content]);
  };
  const order = Buffer.from('00ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

  test.each<[string, Bend]>([
    ['r = 0', (_der, _r, s) => sequence(Buffer.of(0), s)],
    ['s = 0', (_der, r) => sequence(r, Buffer.of(0))],
    ['r = n', (_der, _r, s) => sequence(order, s)],
    ['s = n', (_der, r) => sequence(r, order)],
    ['a long-form length', (der) => Buffer.concat([Buffer.of(0x30, 0x81), der.subarray(1)])],
    ['a needless zero before r', (_der, r, s) => sequence(Buffer.concat([Buffer.of(0), r]), s)],
    ['bytes after the end', (der) => Buffer.concat([der, Buffer.of(0)])],
    ['r and s side by side', (_der, r, s) => Buffer.concat([r.subarray(-32), s.subarray(-32)])],
    ['the last byte missing', (der) => der.subarray(0, -1)],
  ])('D07: a signature with %s is refused', async (_what, bend) => {
    const body = signBody();
    const fields = stampFields(root.key, Buffer.from(body));
    const der = Buffer.from(fields.signature, 'hex');
    const sAt = 4 + (der[3] as number);
    const bent = bend(der, der.subarray(4, sAt), der.subarray(sAt + 2));
    const stamp = encodeStamp({ ...fields, signature: bent.toString('hex') });
    await expectRefused(() => send(body, { 'x-stamp': stamp }), 'SIGNATURE_INVALID');
  });

  test.each(['upper case', 'uncompressed', 'hybrid', 'another prefix', 'infinity'])(
    'D08: a public key in the form "%s" is not a second identity',
    async (form) => {
      const body = signBody();
      const { publicKey, ...fields } = stampFields(root.key, Buffer.from(body));
      const forms: Record<string, string> = {
        'upper case': publicKey.toUpperCase(),
        uncompressed: `04${publicKey.slice(2)}${'00'.repeat(32)}`,
        hybrid: `06${publicKey.slice(2)}`,
        'another prefix': `${publicKey.startsWith('02') ? '03' : '02'}${publicKey.slice(2)}`,
        infinity: '00',
      };
      const stamp = encodeStamp({ ...fields, publicKey: forms[form] });
      if (form === 'upper case') {
        const { body: shown } = await send(body, { 'x-stamp': stamp });
        const { activity } = await root.data('getActivity', { activityId: shown.activity.id });
        expect(activity.votes[0].publicKey).toBe(publicKey);
        return;
      }
      await expectRefused(
        () => send(body, { 'x-stamp': stamp }),
        form === 'another prefix' ? 'SIGNATURE_INVALID' : 'STAMP_MALFORMED',
      );
    },
  );

  describe('D10: not exactly one stamp', () => {
    test('none', async () => {
      await expectRefused(() => send(signBody(), {}), 'STAMP_MISSING');
    });

    test('two kinds of header', async () => {
      const body = signBody();
      const stamp = encodeStamp(stampFields(root.key, Buffer.from(body)));
      await expectRefused(() => send(body, { 'x-stamp': stamp, 'x-stamp-webauthn': '{}' }), 'STAMP_MALFORMED');
      await expectRefused(() => send(body, { 'x-stamp': '', 'x-stamp-webauthn': '{}' }), 'STAMP_MALFORMED');
    });

    test('the same header twice', async () => {
      const body = signBody();
      const stamp = encodeStamp(stampFields(root.key, Buffer.from(body)));
      await expectRefused(() => send(body, { 'x-stamp': `${stamp}, ${stamp}` }), 'STAMP_MALFORMED');
    });
  });

  test.each([
    ['base64 with padding', (stamp: string) => `${stamp}=`],
    ['plain JSON', (stamp: string) => Buffer.from(stamp, 'base64url').toString()],
    ['a list', () => Buffer.from('[]').toString('base64url')],
    ['an extra field', (stamp: string) => encodeStamp({ ...decode(stamp), more: 'x' })],
    ['a missing field', (stamp: string) => encodeStamp({ publicKey: decode(stamp).publicKey })],
    ['an unknown scheme', (stamp: string) => encodeStamp({ ...decode(stamp), scheme: 'SIGNATURE_SCHEME_NONE' })],
    ['no signature', (stamp: string) => encodeStamp({ ...decode(stamp), signature: '' })],
    ['hexadecimal with 0x', (stamp: string) => encodeStamp({ ...decode(stamp), signature: `0x${decode(stamp).signature}` })],
    ['three dotted parts', (stamp: string) => `${decode(stamp).publicKey}.${decode(stamp).signature}.00`],
    ['excessive length', (stamp: string) => `${stamp}${'A'.repeat(4096)}`],
  ])('a malformed stamp is refused: %s', async (_what, change) => {
    const body = signBody();
    const stamp = encodeStamp(stampFields(root.key, Buffer.from(body)));
    await expectRefused(() => send(body, { 'x-stamp': change(stamp) }), 'STAMP_MALFORMED');
  });

  test('D02: a stamp that names a field twice is refused', async () => {
    const body = signBody();
    const { publicKey, scheme, signature } = stampFields(root.key, Buffer.from(body));
    const twice = `{"publicKey":"${newApiKey().publicKey}","scheme":"${scheme}","signature":"${signature}","publicKey":"${publicKey}"}`;
    await expectRefused(() => send(body, { 'x-stamp': Buffer.from(twice).toString('base64url') }), 'STAMP_MALFORMED');
  });

  test('D11: a stamp of one organization is refused in another, with the answer of an unknown organization', async () => {
    const { caller } = await createSubOrganization(root);
    const other = await createSubOrganization(root);
    const answers: Answer[] = [];
    for (const organizationId of [other.organizationId, root.organizationId, madeUpId()]) {
      answers.push(await caller.with({ organizationId }).query('getOrganizationConfigs'));
      const body = caller.submitBody('signRawPayload', signParams(signWith), { organizationId });
      answers.push(await caller.send(path, body));
    }
    const [first] = answers;
    expect(errorOf(first as Answer)).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 401, body: first?.body });
  });

  test('an invalid organization id is reported', async () => {
    for (const organizationId of ['', 'x', `${root.organizationId} `, `${root.organizationId}0`, '../../..']) {
      await expectRefused(() => root.with({ organizationId }).query('whoami'), 'ORGANIZATION_ID_INVALID', 400);
      const body = root.submitBody('signRawPayload', signParams(signWith), { organizationId });
      await expectRefused(() => root.send(path, body), 'ORGANIZATION_ID_INVALID', 400);
    }
    expect((await root.with({ organizationId: root.organizationId.toUpperCase() }).query('whoami')).status).toBe(200);
  });

  test.each([
    ['older than an hour', () => String(Date.now() - 3_600_500)],
    ['more than five minutes ahead', () => String(Date.now() + 301_000)],
    ['negative', () => `-${Date.now()}`],
    ['a fraction', () => `${Date.now()}.5`],
    ['hexadecimal', () => `0x${Date.now().toString(16)}`],
    ['signed', () => `+${Date.now()}`],
    ['in seconds', () => String(Math.floor(Date.now() / 1000))],
    ['of 20 digits', () => '18446744073709551615'],
    ['empty', () => ''],
    ['padded', () => ` ${Date.now()}`],
    ['in other digits', () => String(Date.now()).replace('1', '١')],
  ])('D06: a timestamp that is %s is refused', async (_what, time) => {
    const body = root.submitBody('signRawPayload', signParams(signWith), { timestampMs: time() });
    await expectRefused(() => root.send(path, body), 'TIMESTAMP_INVALID', 400);
  });

  test('D06: a missing or numeric timestamp is refused, and the bounds are inclusive', async () => {
    const parse = JSON.parse(signBody());
    const { timestampMs: _, ...missing } = parse;
    await expectRefused(() => root.send(path, JSON.stringify(missing)), 'REQUEST_INVALID', 400);
    await expectRefused(() => root.send(path, JSON.stringify({ ...parse, timestampMs: Date.now() })), 'REQUEST_INVALID', 400);
    for (const timestampMs of [String(Date.now() - 3_590_000), String(Date.now() + 295_000)]) {
      expect((await root.submit('signRawPayload', signParams(signWith), { timestampMs })).status).toBe(200);
    }
  });

  describe('passkeys', () => {
    const challengeOf = (body: string) => Buffer.from(sha256(body).toString('hex')).toString('base64url');

    async function createPasskeyUser(): Promise<SoftwareAuthenticator> {
      const authenticator = new SoftwareAuthenticator();
      const attestation = authenticator.create('AAAA');
      const user = { userName: `Passkey ${nextTimestampMs()}`, apiKeys: [], oauthProviders: [], userTags: [] };
      const authenticators = [{ authenticatorName: 'Passkey', challenge: 'AAAA', attestation }];
      await root.result('createUsers', { users: [{ ...user, authenticators }] });
      authenticator.counter++;
      return authenticator;
    }

    const header = ({ credentialId, ...rest }: ReturnType<SoftwareAuthenticator['get']>) => {
      const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
      const { authenticatorData, clientDataJson, signature } = rest;
      return JSON.stringify({
        credentialId,
        authenticatorData: text(authenticatorData),
        clientDataJson: text(clientDataJson),
        signature: text(signature),
      });
    };

    test('a passkey stamps in both forms of its header', async () => {
      const authenticator = await createPasskeyUser();
      const body = JSON.stringify({ organizationId: root.organizationId });
      const url = `${root.url}/public/v1/query/whoami`;
      const json = header(authenticator.get(challengeOf(body)));
      for (const value of [json, Buffer.from(json).toString('base64url')]) {
        const { status } = await post(url, Buffer.from(body), { 'x-stamp-webauthn': value });
        expect(status).toBe(200);
      }
    });

    test('D20: the counter moves with the activity: the same stamp may be repeated, an older one may not', async () => {
      const authenticator = await createPasskeyUser();
      const [body, later] = [signBody(), signBody()];
      const stamp = header(authenticator.get(challengeOf(body)));
      const copied = header(authenticator.get(challengeOf(later), { counter: 1 }));
      const first = await send(body, { 'x-stamp-webauthn': stamp });
      expect(errorOf(first)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      expect((await send(body, { 'x-stamp-webauthn': stamp })).body).toEqual(first.body);
      await expectRefused(() => send(later, { 'x-stamp-webauthn': copied }), 'SIGNATURE_INVALID');
    });

    test('D15: the challenge of another body is refused', async () => {
      const authenticator = await createPasskeyUser();
      const [body, other] = [signBody(), signBody()];
      const stamp = header(authenticator.get(challengeOf(other)));
      await expectRefused(() => send(body, { 'x-stamp-webauthn': stamp }), 'SIGNATURE_INVALID');
    });

    test('an unknown passkey is not found, in any organization', async () => {
      const body = signBody();
      const stamp = header(new SoftwareAuthenticator().get(challengeOf(body)));
      await expectRefused(() => send(body, { 'x-stamp-webauthn': stamp }), 'CREDENTIAL_NOT_FOUND');
    });
  });
});

function decode(stamp: string): ReturnType<typeof stampFields> {
  return JSON.parse(Buffer.from(stamp, 'base64url').toString());
}
