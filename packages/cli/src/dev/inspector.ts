import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fetchWebhookKeys, verifyWebhook, type WebhookEvent, type WebhookKeySet } from '@countersign/client';

/** A received delivery, and the receiver's response. */
export interface Delivery {
  readonly event: WebhookEvent;
  readonly type: string;
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Response of the address that it was forwarded to. */
  readonly forwarded?: number | 'unreachable';
}

export interface Inspector {
  /** URL that the service posts to. */
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** Forwards a delivery again, unchanged: the last one, or by id. Undefined if no delivery matches. */
  replay(id?: string): Promise<Delivery | undefined>;
  close(): Promise<void>;
}

/** Number of deliveries forwardedHeaders for replay. */
const KEPT = 200;

/** Receives deliveries of the service, verifies their signatures, shows them, and forwards them unchanged. */
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
    // Pass on the receiver's status, so that the service retries if the receiver asks for it.
    return typeof forwarded === 'number' ? forwarded : 204;
  }

  const server = createServer(async (request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    try {
      response.writeHead(await receive(headers, await text(request))).end();
    } catch {
      // SECURITY: forward only deliveries of the service, and do not reveal why another one is rejected.
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
      const found = id === undefined ? deliveries.at(-1) : deliveries.find(({ event }) => event.id.startsWith(id));
      if (found === undefined) return undefined;
      const { forwarded: _, ...delivery } = found;
      const forwarded = await forward(options.forwardTo, found.headers, found.body);
      return { ...delivery, ...(forwarded !== undefined && { forwarded }) };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Hop-by-hop headers, which are not forwarded. */
const hopByHop = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect']);

async function forward(
  to: string | undefined,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<number | 'unreachable' | undefined> {
  if (to === undefined) return undefined;
  const forwardedHeaders = Object.entries(headers).filter(([name]) => !hopByHop.has(name));
  try {
    const answer = await fetch(to, { method: 'POST', headers: Object.fromEntries(forwardedHeaders), body, redirect: 'manual' });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    // The receiver is not listening yet. The inspector reports it, and a replay can retry.
    return 'unreachable';
  }
}
