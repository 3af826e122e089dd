import type { Client } from '@countersign/client';
import { isForbidden } from '../data/errors.ts';

/** The stamped message of an activity. Empty if the log hides it too, or if the person may not read the log. */
export async function messageInLog(
  reader: Pick<Client, 'getLogProof' | 'listAuditRecords'>,
  activityId: string,
): Promise<string> {
  try {
    const { leaf } = await reader.getLogProof({ activityId, revision: '0' });
    const { sequence } = JSON.parse(leaf.opening) as { sequence: number };
    const { records } = await reader.listAuditRecords({ from: String(sequence), limit: '1' });
    const content = JSON.parse(records[0]?.content ?? '{}') as { body?: unknown; vote?: { body?: unknown } };
    const body = content.vote?.body ?? content.body;
    return typeof body === 'string' ? body : '';
  } catch (error) {
    if (isForbidden(error)) return '';
    throw error;
  }
}
