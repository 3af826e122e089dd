import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { errorOf } from '../../support/world.ts';
import { createCustomer, mailSettings, outboxRows, until } from './mail-support.ts';
import { startInbox } from './smtp-inbox.ts';
import { newTarget } from './transfer-support.ts';

interface Posted {
  readonly id: string;
  readonly to: string;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
}

/** A text message gateway, like an operator's. */
const posted: Posted[] = [];
let answers: number[] = [];
const gateway = createServer(async (request, response) => {
  posted.push({ ...JSON.parse(await text(request)), headers: request.headers });
  response.writeHead(answers.shift() ?? 202, { location: 'http://127.0.0.1:1/' }).end('anything');
});
await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
const smsUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/messages`;
const inbox = await startInbox();
afterAll(async () => {
  gateway.close();
  await inbox.stop();
});

/** Turns text messages on, first in the parent. */
async function turnOn(...organizations: Caller[]): Promise<void> {
  for (const caller of organizations) await caller.result('setOrganizationFeature', { name: 'FEATURE_NAME_SMS_AUTH', value: '' });
}

describeEngines(
  'one-time codes by text message',
  (subject) => {
    const root = () => subject().service.root;
    beforeEach(() => {
      posted.length = 0;
      answers = [];
    });

    async function customer() {
      const made = await createCustomer(root());
      await turnOn(root(), made.own);
      return made;
    }
    const init = (caller: Caller, contact: string, more: object = {}) =>
      caller.submit('initOtpAuth', { otpType: 'OTP_TYPE_SMS', contact, ...more });
    const received = (count: number) => until(`${count} messages came`, () => posted.length >= count);

    test('are off unless an organization turns them on', async () => {
      const { backend, phoneNumber } = await createCustomer(root());
      expect(errorOf(await init(backend, phoneNumber))).toMatchObject({ status: 400, code: 'PRECONDITION_FAILED' });
    });

    test('go through the gateway and sign in', async () => {
      const { backend, phoneNumber, userId } = await customer();
      const answer = await init(backend, phoneNumber, { alphanumeric: false, otpLength: 6 });
      const { otpId } = answer.body.activity.result.activity.result.initOtpAuthResult;
      await received(1);
      expect(posted[0]).toMatchObject({ to: phoneNumber, text: expect.stringMatching(/^\d{6} is your Countersign code\./) });
      expect(posted[0]?.headers).toMatchObject({ authorization: 'Bearer a secret', 'idempotency-key': posted[0]?.id });
      const otpCode = posted[0]?.text.slice(0, 6);
      expect(await backend.result('otpAuth', { otpId, otpCode, targetPublicKey: newTarget().hex })).toMatchObject({ userId });
    });

    test('use the request’s wording, which needs a place for the code', async () => {
      const { backend, phoneNumber } = await customer();
      const template = 'Ledger: {{.OtpCode}} ($& stays)';
      await init(backend, phoneNumber, { smsCustomization: { template } });
      await received(1);
      expect(posted[0]?.text).toMatch(/^Ledger: [0-9A-Z]{9} \(\$& stays\)$/);
      const answer = await init(backend, phoneNumber, { smsCustomization: { template: 'no code' } });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['smsCustomization.template'] });
    });

    test.each([500, 429, 302, 401])('are retried after a %i', async (status) => {
      answers = [status];
      const { backend, phoneNumber } = await customer();
      await init(backend, phoneNumber);
      await received(2);
      expect(posted[1]?.id).toBe(posted[0]?.id);
      expect(posted[1]?.text).toBe(posted[0]?.text);
    });

    test('are parked after a 400, and delay no other message', async () => {
      answers = [400];
      const { backend, phoneNumber, organizationId } = await customer();
      await init(backend, phoneNumber);
      await until('it is parked', async () => (await outboxRows(subject().raw, organizationId))[0]?.state === 'parked');
      await sleep(50);
      expect(posted).toHaveLength(1);
      expect(subject().service.logText()).not.toContain(phoneNumber);
    });
  },
  { config: { ...mailSettings(inbox), smsUrl, smsToken: 'a secret' } },
);

describeEngines(
  'a server with a mail server and no gateway',
  (subject) => {
    test('says that it cannot send text messages', async () => {
      const { root } = subject().service;
      const { own, backend, phoneNumber } = await createCustomer(root);
      await turnOn(root, own);
      const answer = await backend.submit('initOtpAuth', { otpType: 'OTP_TYPE_SMS', contact: phoneNumber });
      expect(errorOf(answer)).toEqual({ status: 501, code: 'NOT_OFFERED' });
    });
  },
  { config: mailSettings(inbox) },
);
