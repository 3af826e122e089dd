import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, Json } from '../../support/caller.ts';
import type { RawDatabase, StoredRow } from '../../support/raw-database.ts';
import type { ServiceChoice, TestService } from '../../support/service.ts';
import { uniqueName } from '../../support/world.ts';
import type { Delivery } from './receiver.ts';

/** A service whose webhooks may go to receivers on this machine. */
export const toLoopback: ServiceChoice = { config: { webhookNetworks: ['127.0.0.0/8'] } };

/** The newest delivery, which must exist. */
export function lastOf(deliveries: readonly Delivery[]): Delivery {
  const last = deliveries.at(-1);
  if (last === undefined) throw new Error('nothing was delivered');
  return last;
}

/** The id of a new endpoint in the caller's organization. */
export async function createEndpoint(caller: Caller, url: string, more: object = {}): Promise<string> {
  const { endpointId } = await caller.result('createWebhookEndpoint', { url, name: uniqueName('Hook'), ...more });
  return endpointId;
}

/** A subscription to activities that match the filters. */
export function subscribe(filters: object) {
  return { subscriptions: [{ eventType: 'ACTIVITY_UPDATES', filtersJson: JSON.stringify(filters) }] };
}

/** The activity and status that a delivery reports. */
export function gist({ activity: { organizationId, type, status } }: Delivery): string {
  return `${organizationId} ${String(type).replace('ACTIVITY_TYPE_', '')} ${String(status).replace('ACTIVITY_STATUS_', '')}`;
}

/** The gists of an organization's own activities, without its id. */
export function gistsOf(organizationId: string, deliveries: readonly Delivery[]): string[] {
  return deliveries
    .map(gist)
    .filter((text) => text.startsWith(organizationId))
    .map((text) => text.slice(organizationId.length + 1));
}

export const eventIdOf = ({ headers }: Delivery) => headers['x-turnkey-event-id'] as string;

/** Verifies a delivery as its receiver would: with the published keys, over the received bytes. */
export async function isAuthentic(serviceUrl: string, { headers, body }: Delivery): Promise<boolean> {
  const answer = await fetch(`${serviceUrl}/public/v1/discovery/webhooks/jwks`);
  const { keys } = (await answer.json()) as { keys: readonly (JsonWebKey & { kid: string })[] };
  const key = keys.find(({ kid }) => kid === headers['x-turnkey-signature-key-id']);
  if (key === undefined) return false;
  const prefix = `v1.ed25519.${key.kid}.${headers['x-turnkey-timestamp']}.${headers['x-turnkey-event-id']}.`;
  const signature = Buffer.from(headers['x-turnkey-signature'] as string, 'hex');
  return verify(null, Buffer.from(prefix + body), createPublicKey({ key, format: 'jwk' }), signature);
}

/** The waiting events, oldest first. */
export function waitingEvents(raw: RawDatabase): Promise<StoredRow[]> {
  return raw.all(
    `SELECT events.seq, events.organization_id, events.id, events.listener_id, events.endpoint_id, event_bodies.body FROM events
     JOIN event_bodies ON event_bodies.organization_id = events.organization_id AND event_bodies.id = events.id ORDER BY events.seq`,
  );
}

/** The content of a waiting event, decrypted by the service. */
export function plainEvent({ services }: TestService, row: StoredRow | undefined): string {
  const [organizationId, id] = [String(row?.organization_id), String(row?.id)];
  return services.vault.atRest.open({ organizationId, key: ['event_bodies', id] }, String(row?.body));
}

/** Resolves when no events wait. Rejects with those that still do. */
export async function nothingWaits(raw: RawDatabase): Promise<void> {
  for (let look = 0; look < 4_500; look++) {
    if ((await waitingEvents(raw)).length === 0) return;
    await sleep(20);
  }
  throw new Error(`events wait: ${(await waitingEvents(raw)).map(({ body }) => String(body).slice(0, 200)).join('\n')}`);
}

/** The value of a counter in a metrics page; 0 if it is absent. */
export async function counted(serviceUrl: string, outcome: string): Promise<number> {
  const text = await (await fetch(`${serviceUrl}/metrics`)).text();
  const found = new RegExp(`^countersign_webhook_events_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text);
  return Number(found?.[1] ?? 0);
}

/** The endpoints of the caller's organization. */
export async function endpointsOf(caller: Caller): Promise<Json[]> {
  return (await caller.data('listWebhookEndpoints')).webhookEndpoints;
}
