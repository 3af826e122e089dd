import type { Config } from '../config/settings.ts';
import { DeliveryFault } from '../delivery/delivery-fault.ts';
import type { Channel, OutgoingSms } from './channel.ts';

const TIMEOUT_MS = 20_000;

/**
 * Text messages through a gateway of the operator: a POST of `{id, to, text}` as JSON, with a bearer token where one is configured.
 * Any 2xx means that the gateway has it; 4xx other than 408 and 429 that it never will. Undefined where none is configured.
 */
export function smsChannel({ smsUrl, smsToken }: Pick<Config, 'smsUrl' | 'smsToken'>): Channel<OutgoingSms> | undefined {
  if (smsUrl === undefined) return undefined;
  return {
    async send({ id, to, text }) {
      const response = await fetch(smsUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': id,
          ...(smsToken !== undefined && { authorization: `Bearer ${smsToken}` }),
        },
        body: JSON.stringify({ id, to, text }),
        // A gateway that moved has to be configured anew: a redirect could lead the code anywhere.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((error: Error) => {
        const { code } = (error.cause ?? {}) as { code?: string };
        throw new DeliveryFault(`the gateway of text messages does not answer: ${code ?? error.name}`, false);
      });
      await response.body?.cancel();
      if (response.ok) return;
      const { status } = response;
      const permanent = status >= 400 && status < 500 && status !== 408 && status !== 429 && status !== 401 && status !== 403;
      throw new DeliveryFault(`the gateway of text messages answered ${status}`, permanent);
    },
    close() {},
  };
}
