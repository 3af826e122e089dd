import type { Client } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { isForbidden } from '../data/errors.ts';
import { ask } from '../data/service-query.ts';
import type { Knowledge } from './types.ts';

/** Addresses that one request may ask for. */
const MOST = 1_000;

/**
 * The contacts at the addresses of some effects: one request, however many contacts there are. None if the person may not read them.
 * SECURITY: D800: they are claims until the log proves them.
 */
export async function contactsAt(reader: Client, effects: readonly EffectShape[]): Promise<Knowledge['contacts']> {
  const addresses = [...new Set(effects.flatMap(({ to, from, owner }) => [to, from, owner]))].filter(
    (address) => address !== undefined && address.length <= 128,
  ) as string[];
  if (addresses.length === 0) return [];
  try {
    const input = { addresses: addresses.slice(0, MOST), paginationOptions: { limit: '100' } };
    return (await ask(reader, 'listContacts', input)).contacts;
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}
