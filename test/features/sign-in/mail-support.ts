import { setTimeout as sleep } from 'node:timers/promises';
import { p256 } from '@noble/curves/nist.js';
import type { Config } from '../../../packages/server/src/config/settings.ts';
import { openCredentialBundle } from '../../../packages/server/test/vault/bundle-client.ts';
import { type ApiKey, importApiKey, newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import type { RawDatabase, StoredRow } from '../../support/raw-database.ts';
import { subOrganizationParams, uniqueName, userParams } from '../../support/world.ts';
import type { Inbox } from './smtp-inbox.ts';
import type { Target } from './transfer-support.ts';

let addresses = 0;

/** An address that is unique in this process. */
export function newAddress(): string {
  return `someone.${++addresses}@example.com`;
}

let numbers = 0;

/** A phone number that is unique in this process. */
export function newPhoneNumber(): string {
  return `+1555555${String(++numbers).padStart(4, '0')}`;
}

/** The settings that send mail to an inbox. */
export function mailSettings(inbox: Inbox): Partial<Config> {
  return { smtpUrl: inbox.url, mailFrom: 'Countersign <no-reply@countersign.example>' };
}

/** A sub-organization whose root user has an address, like a customer of an application. */
export interface Customer {
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
  readonly phoneNumber: string;
  /** The customer's own root user. */
  readonly own: Caller;
  /** A user of the parent, acting in the sub-organization. */
  readonly backend: Caller;
}

export async function createCustomer(root: Caller, more: object = {}): Promise<Customer> {
  const key = newApiKey();
  const [email, phoneNumber] = [newAddress(), newPhoneNumber()];
  const { userTags: _, ...rootUser } = { ...userParams(key), userEmail: email, userPhoneNumber: phoneNumber };
  const params = subOrganizationParams(key, { rootUsers: [rootUser], ...more });
  const { subOrganizationId: organizationId, rootUserIds } = await root.result('createSubOrganization', params);
  const own = root.with({ key, organizationId });
  return { organizationId, userId: rootUserIds[0], email, phoneNumber, own, backend: root.with({ organizationId }) };
}

/** A member of the organization with an address. */
export async function createReachable(
  root: Caller,
): Promise<{ userId: string; email: string; phoneNumber: string; key: ApiKey }> {
  const key = newApiKey();
  const [email, phoneNumber] = [newAddress(), newPhoneNumber()];
  const user = { ...userParams(key), userName: uniqueName('Reachable'), userEmail: email, userPhoneNumber: phoneNumber };
  const { userIds } = await root.result('createUsers', { users: [user] });
  return { userId: userIds[0], email, phoneNumber, key };
}

/** The bundle in a mail, which stands on its own line. */
export function bundleIn(text: string): string {
  const found = /^[1-9A-HJ-NP-Za-km-z]{100,}$/m.exec(text)?.[0];
  if (found === undefined) throw new Error(`there is no bundle in ${JSON.stringify(text)}`);
  return found;
}

/** The API key in a bundle. */
export function keyFrom(bundle: string, target: Target): ApiKey {
  const secret = openCredentialBundle(bundle, target);
  const apiPublicKey = Buffer.from(p256.getPublicKey(secret, true)).toString('hex');
  return importApiKey({ apiPublicKey, apiPrivateKey: secret.toString('hex') });
}

/** The rows of the outbox. */
export function outboxRows(raw: RawDatabase, organizationId: string): Promise<StoredRow[]> {
  return raw.all('SELECT * FROM outbox WHERE organization_id = ? ORDER BY id', organizationId);
}

/** Waits until something holds. */
export async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(25)) if (await holds()) return;
  throw new Error(`it never came to that ${what}`);
}
