import type { NoticedActivities, PushMessage } from '../mail/message.ts';
import { MAX_PAYLOAD_BYTES } from './encrypt.ts';

/**
 * The JSON for the console's service worker: the newest activity of a notice, its sentence, and how many more there are.
 * SECURITY: A83: the payload cannot approve anything and contains no address: the worker knows the address of the console.
 */
export function pushPayload({ organizationId, items: [newest], more }: NoticedActivities, about?: PushMessage['about']): Buffer {
  const told = { organizationId, ...(about && { about }), ...(newest && { activityId: newest.activityId }), more };
  const whole = Buffer.from(JSON.stringify({ ...told, sentence: newest?.sentence }), 'utf8');
  return whole.length <= MAX_PAYLOAD_BYTES ? whole : Buffer.from(JSON.stringify(told), 'utf8');
}
