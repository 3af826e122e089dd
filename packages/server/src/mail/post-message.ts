import type { OutboxPut } from '../organizations/changes.ts';
import type { Vault } from '../vault/vault.ts';
import type { Message } from './message.ts';

/** What it takes to put a message into the outbox of an organization. */
interface Sending {
  readonly organization: { readonly id: string };
  readonly vault: Vault;
  readonly nowMs: number;
  newId(): string;
}

/**
 * The change that puts a message into the outbox. The message is delivered once the change is durable: not before, and not without the
 * activity.
 * SECURITY: the whole message is sealed. Without the vault, nobody learns its receiver or its content.
 */
export async function postMessage({ organization, vault, newId, nowMs }: Sending, message: Message): Promise<OutboxPut> {
  const id = newId();
  const ciphertext = await vault.outbox.seal(organization.id, id, JSON.stringify(message));
  return { op: 'putOutbox', id, channel: message.channel, dueAtMs: nowMs, expiresAtMs: message.expiresAtMs, ciphertext };
}
