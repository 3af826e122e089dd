import { createECDH } from 'node:crypto';
import { importApiKey } from '../../../support/api-key.ts';
import { Caller, type Json } from '../../../support/caller.ts';
import type { TestService } from '../../../support/service.ts';

/** What an invited person finds in the mail. */
export interface InvitationMail {
  readonly invitationId: string;
  readonly userId: string;
  readonly inviter: string;
  readonly organizationName: string;
  /** A caller that stamps with the one-time key. */
  readonly receiver: Caller;
}

let addresses = 0;

/** An address that no other test uses. */
export function newAddress(): string {
  return `invited-${++addresses}@example.com`;
}

/** Opens the newest mail to an address, whatever its state in the outbox. */
export async function readInvitation({ services, url }: TestService, address: string): Promise<InvitationMail> {
  const { store, vault } = services;
  for (let reads = 0; reads < 100; reads++) {
    for (const state of ['waiting', 'kept', 'parked'] as const) {
      for (const { organizationId, id, ciphertext } of await store.outbox.list(state, 1000)) {
        const message = JSON.parse(await vault.outbox.open(organizationId, id, ciphertext));
        if (message.to === address) return toMail(message, url);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`no mail to ${address}`);
}

function toMail({ secret, inviter, organizationName }: Json, url: string): InvitationMail {
  const [organizationId, invitationId, userId, apiPrivateKey] = secret.split('.');
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(apiPrivateKey, 'hex');
  const key = importApiKey({ apiPublicKey: pair.getPublicKey('hex', 'compressed'), apiPrivateKey });
  return { invitationId, userId, inviter, organizationName, receiver: new Caller(url, organizationId, key) };
}
