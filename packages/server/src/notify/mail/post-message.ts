import type { OutboxPut } from '../../organizations/snapshot/changes.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Message } from './message.ts';

interface Sending {
  readonly organization: { readonly id: string };
  readonly vault: Vault;
  readonly nowMs: number;
  newId(): string;
}

/**
 * Returns the change that adds a message to the outbox. The message is delivered only after the change and its activity are durable.
 * SECURITY: the whole message is sealed. Its receiver and content cannot be read without the vault.
 */
export async function postMessage({ organization, vault, newId, nowMs }: Sending, message: Message): Promise<OutboxPut> {
  const id = newId();
  const ciphertext = await vault.outbox.seal(organization.id, id, JSON.stringify(message));
  return { op: 'putOutbox', id, channel: message.channel, dueAtMs: nowMs, expiresAtMs: message.expiresAtMs, ciphertext };
}
