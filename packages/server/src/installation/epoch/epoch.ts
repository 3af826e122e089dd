import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SettingRow } from '../../store/rows.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';

/** The setting with the epoch of the installation. Every commit compares it. */
export const EPOCH_SETTING = 'installation.epoch';

/**
 * An epoch of the installation: it starts when the installation is created, and whenever a backup is restored. Servers of an
 * earlier epoch may not write.
 */
export interface Epoch {
  /** Counts from 1. */
  readonly number: number;
  /** Random. Distinguishes two copies that were restored from one backup. */
  readonly id: string;
  readonly raisedAtMs: number;
}

const shape = z.strictObject({
  version: z.literal(1),
  number: z.int().min(1),
  id: z.hex().length(32),
  raisedAtMs: z.int().nonnegative(),
  mac: z.base64(),
});

/** The epoch that follows one, or the first. */
export function nextEpoch(before: Epoch | undefined, nowMs: number): Epoch {
  return { number: (before?.number ?? 0) + 1, id: randomBytes(16).toString('hex'), raisedAtMs: nowMs };
}

/** The text that stores an epoch, in the database and in data directories. */
export function sealEpoch(integrity: Integrity, { number, id, raisedAtMs }: Epoch): string {
  const mac = Buffer.from(integrity.epoch({ number, id, raisedAtMs })).toString('base64');
  return JSON.stringify({ version: 1, number, id, raisedAtMs, mac } satisfies z.input<typeof shape>);
}

/** The epoch in such a text. Undefined if this installation did not write it. */
export function readEpoch(integrity: Integrity, text: string): Epoch | undefined {
  try {
    const { number, id, raisedAtMs, mac } = shape.parse(JSON.parse(text));
    const epoch = { number, id, raisedAtMs };
    return macsEqual(integrity.epoch(epoch), Buffer.from(mac, 'base64')) ? epoch : undefined;
  } catch {
    // Malformed text is treated like a wrong MAC.
    return undefined;
  }
}

/** The setting of an epoch. */
export function epochSetting(integrity: Integrity, epoch: Epoch): SettingRow {
  return { name: EPOCH_SETTING, body: sealEpoch(integrity, epoch) };
}
