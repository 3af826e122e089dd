import type { EndpointKey } from '../../store/store.ts';
import type { VaultService } from '../../vault/vault.ts';
import type { NumberedEvent } from './numbered-events.ts';
import { eventKeyId } from './signature.ts';

/** What the signed text of a batch begins with. Single deliveries begin with `v1`, so one signature never fits both. */
const SCHEME = 'countersign-batch-v1';

/** Consecutive events of a stream. */
export interface Batch {
  readonly endpoint: EndpointKey;
  readonly streamId: string;
  readonly droppedEvents: number;
  readonly events: readonly NumberedEvent[];
}

export interface SignedBatch {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The request of a batch.
 * SECURITY: D537: the signature covers the time and the whole body: endpoint, stream, numbers and events. So a receiver notices replayed,
 * reordered and missing batches, and batches for another endpoint.
 */
export async function signBatch(
  service: Pick<VaultService, 'signEvent' | 'eventKey'>,
  batch: Batch,
  nowMs: number,
): Promise<SignedBatch> {
  const keyId = eventKeyId(service.eventKey);
  const body = batchBody(batch);
  const signature = await service.signEvent(Buffer.from(`${SCHEME}.ed25519.${keyId}.${nowMs}.${body}`, 'utf8'));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'countersign',
      'x-countersign-timestamp': String(nowMs),
      'x-countersign-signature-scheme': SCHEME,
      'x-countersign-signature-algorithm': 'ed25519',
      'x-countersign-signature-key-id': keyId,
      'x-countersign-signature': Buffer.from(signature).toString('hex'),
    },
  };
}

/** The stored bodies are JSON already. They are not parsed again, so they stay as they were committed. */
function batchBody({ endpoint: { endpointId, listenerId }, streamId, droppedEvents, events }: Batch): string {
  const firstSequence = String(events[0]?.sequence);
  const about = { endpointId, organizationId: listenerId, streamId, firstSequence, droppedEvents: String(droppedEvents) };
  const items = events.map(({ id, organizationId, body }) => {
    const head = JSON.stringify({ eventId: id, organizationId });
    return `${head.slice(0, -1)},"payload":${body}}`;
  });
  return `${JSON.stringify(about).slice(0, -1)},"events":[${items.join(',')}]}`;
}
