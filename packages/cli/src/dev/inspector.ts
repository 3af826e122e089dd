import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fetchWebhookKeys, verifyWebhook, type WebhookEvent, type WebhookKeySet } from '@countersign/client';

/** A delivery that arrived, and what the receiver behind it said. */
export interface Delivery {
  readonly event: WebhookEvent;
  readonly type: string;
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The answer of the address that it was forwarded to. */
  readonly forwarded?: number | 'unreachable';
}

export interface Inspector {
  /** Where the service posts to. */
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** Forwards a delivery again, as it came. By its id, or the last one. Undefined where there is none. */
  replay(id?: string): Promise<Delivery | undefined>;
  close(): Promise<void>;
}

/** So many deliveries are kept. */
const KEPT = 200;

/** Receives what the service posts, checks its signature, shows it, and forwards it unchanged. */
export async function startInspector(
  options: { readonly baseUrl: string; readonly forwardTo?: string; readonly port?: number },
  onDelivery: (delivery: Delivery) => void,
): Promise<Inspector> {
  const deliveries: Delivery[] = [];
  let keySet: WebhookKeySet | undefined;

  async function receive(headers: Readonly<Record<string, string>>, body: string): Promise<number> {
    keySet ??= await fetchWebhookKeys(options.baseUrl);
    const event = verifyWebhook({ headers, body }, { keySet });
    const { type = '', status = '' } = event.payload as { type?: string; status?: string };
    const forwarded = await forward(options.forwardTo, headers, body);
    const delivery = { event, type, status, headers, body, ...(forwarded !== undefined && { forwarded }) };
    deliveries.push(delivery);
    if (deliveries.length > KEPT) deliveries.shift();
    onDelivery(delivery);
    // The service keeps to what the receiver said: it tries again where the receiver wants it to.
    return typeof forwarded === 'number' ? forwarded : 204;
  }

  const server = createServer(async (request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    try {
      response.writeHead(await receive(headers, await text(request))).end();
    } catch {
      // SECURITY: nobody but the service gets anything forwarded, and nobody is told why.
      response.writeHead(403).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: options.port ?? 0 }, resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    deliveries,
    async replay(id) {
      const meant = id === undefined ? deliveries.at(-1) : deliveries.find(({ event }) => event.id.startsWith(id));
      if (meant === undefined) return undefined;
      const { forwarded: _, ...delivery } = meant;
      const forwarded = await forward(options.forwardTo, meant.headers, meant.body);
      return { ...delivery, ...(forwarded !== undefined && { forwarded }) };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Headers of the connection from the service, which the next connection has its own of. */
const hopByHop = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect']);

async function forward(
  to: string | undefined,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<number | 'unreachable' | undefined> {
  if (to === undefined) return undefined;
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.has(name));
  try {
    const answer = await fetch(to, { method: 'POST', headers: Object.fromEntries(kept), body, redirect: 'manual' });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    // Nobody listens there yet. The inspector says so, and a replay tries again.
    return 'unreachable';
  }
}
