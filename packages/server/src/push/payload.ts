import type { WaitingApprovals } from '../mail/message.ts';
import { MAX_PAYLOAD_BYTES } from './encrypt.ts';

/**
 * What the console's worker is told, as JSON: the newest activity that waits, its sentence, and how many more wait.
 * SECURITY: A83: nothing in it approves anything, and it names no address: the worker itself knows where the console is.
 */
export function pushPayload({ organizationId, items: [newest], more }: WaitingApprovals): Buffer {
  const told = { organizationId, ...(newest && { activityId: newest.activityId }), more };
  const whole = Buffer.from(JSON.stringify({ ...told, sentence: newest?.sentence }), 'utf8');
  return whole.length <= MAX_PAYLOAD_BYTES ? whole : Buffer.from(JSON.stringify(told), 'utf8');
}
