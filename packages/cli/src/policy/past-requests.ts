import type { Client } from '@countersign/client';
import type { PastRangeShape, PastRequestShape, PastStateShape } from '@countersign/contract';

/** A past activity as policies saw it, with the organization at that time. */
export interface PastRequest extends Omit<PastRequestShape, 'state'> {
  readonly state: PastStateShape;
}

type Part = Awaited<ReturnType<Client['listPastRequests']>>;

export interface ReadRequests {
  readonly requests: readonly PastRequest[];
  readonly unknown: Part['unknown'];
}

/** Activities per response. */
const PART = 500;

/** Reads past activities from the service in pages. */
export async function readPastRequests(
  client: Pick<Client, 'listPastRequests'>,
  request: { readonly activityIds?: readonly string[]; readonly range: PastRangeShape },
  onProgress: (read: number, total: number) => void,
): Promise<ReadRequests> {
  const { activityIds, range } = request;
  const requests: PastRequest[] = [];
  const unknown: Part['unknown'] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const part: Part = await client.listPastRequests({
      ...(activityIds !== undefined && { activityIds: [...activityIds] }),
      range,
      limit: PART,
      ...(cursor !== undefined && { cursor }),
    });
    for (const request of part.requests) {
      const state = part.states[request.state];
      if (state !== undefined) requests.push({ ...request, state });
    }
    unknown.push(...part.unknown);
    total = part.total ?? total;
    onProgress(requests.length, total);
    cursor = part.next;
  } while (cursor !== undefined);
  return { requests, unknown };
}
