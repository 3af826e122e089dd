import { fetchWebhookKeys, verifyWebhook } from '@countersign/client';
import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, createSubOrganization } from '../../support/world.ts';
import { createEndpoint, lastOf, toLoopback } from './support.ts';
import { useReceivers } from './use-receivers.ts';

describeEngines(
  'verifying deliveries with the client',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    test('the service’s own is valid; an altered, old or foreign one is not', async () => {
      const { service } = subject();
      const { caller, organizationId } = await createSubOrganization(service.root);
      const hook = await receiver();
      await createEndpoint(caller, hook.url);
      await createPrivateKey(caller);
      const { headers, body } = lastOf(await hook.taken(2));
      const keySet = await fetchWebhookKeys(`${service.url}/`);
      const event = verifyWebhook({ headers, body }, { keySet });
      expect(event).toMatchObject({ organizationId, id: headers['x-turnkey-event-id'], payload: JSON.parse(body) });

      const why = (delivery: object, options: object = {}) => {
        try {
          return verifyWebhook({ headers, body, ...delivery }, { keySet, ...options });
        } catch (error) {
          return (error as Error).message;
        }
      };
      expect(why({ body: `${body} ` })).toMatch('its signature is invalid');
      const changed = (name: string, value: unknown) => ({ headers: { ...headers, [`x-turnkey-${name}`]: value } });
      expect(why(changed('event-id', 'another'))).toMatch('its signature is invalid');
      expect(why(changed('timestamp', String(event.sentAtMs + 1)))).toMatch('its signature is invalid');
      expect(why(changed('signature', 'zz'))).toMatch('its signature is invalid');
      expect(why(changed('signature', undefined))).toMatch('x-turnkey-signature is missing');
      expect(why(changed('signature-algorithm', 'none'))).toMatch('does not know its signature scheme');
      expect(why(changed('signature-key-id', 'another'))).toMatch('Fetch the keys again');
      expect(why({}, { nowMs: event.sentAtMs + 300_001 })).toMatch('it is too old');
      expect(why({}, { nowMs: event.sentAtMs - 300_001 })).toMatch('one of the clocks is wrong');
    });
  },
  toLoopback,
);
