import type { OutboxPut } from '../organizations/changes.ts';
import type { Vault } from '../vault/vault.ts';
import type { Message } from './message.ts';

/** What a message needs to be put into the outbox of an organization. */
interface Sending {
  readonly organization: { readonly id: string };
  readonly vault: Vault;
  readonly nowMs: number;
  newId(): string;
}

/**
 * The change that has a message delivered once it is durable: neither before, nor without the activity.
 * SECURITY: everything about the message is sealed; without the vault nobody learns who is written to, or what.
 */
export async function postMessage({ organization, vault, newId, nowMs }: Sending, message: Message): Promise<OutboxPut> {
  const id = newId();
  const ciphertext = await vault.outbox.seal(organization.id, id, JSON.stringify(message));
  return { op: 'putOutbox', id, dueAtMs: nowMs, expiresAtMs: message.expiresAtMs, ciphertext };
}
