import type { Config } from '../../config/settings.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Channel, OutgoingSms } from './channel.ts';

const TIMEOUT_MS = 20_000;

/**
 * Sends text messages through the operator's gateway: a POST of `{id, to, text}` as JSON, with a bearer token if one is configured. Any 2xx
 * means that the gateway accepted the message, a 4xx other than 401, 403, 408 and 429 that it never will. Undefined without a gateway.
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
        // SECURITY: a redirect could send the code anywhere. If the gateway moved, the operator must configure its new address.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((error: Error) => {
        const { code } = (error.cause ?? {}) as { code?: string };
        throw new DeliveryError(`the text message gateway does not respond: ${code ?? error.name}`, false);
      });
      await response.body?.cancel();
      if (response.ok) return;
      const { status } = response;
      const permanent = status >= 400 && status < 500 && status !== 408 && status !== 429 && status !== 401 && status !== 403;
      throw new DeliveryError(`the text message gateway responded with ${status}`, permanent);
    },
    close() {},
  };
}
