import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { encodeFields } from './fields.ts';
import { Secret } from './secret.ts';
import type { Integrity } from './vault.ts';

const MODULUS = 1n << 256n;

/** The content sum after a row was added. */
export function addElement(sum: bigint, element: bigint): bigint {
  return (sum + element) % MODULUS;
}

/** The content sum after a row was removed. */
export function subtractElement(sum: bigint, element: bigint): bigint {
  return (sum - element + MODULUS) % MODULUS;
}

/** Whether two MACs are equal, in constant time. */
export function macsEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The MACs of an installation, and a way to wipe their keys. After `wipe` every call throws. */
export interface OpenIntegrity {
  readonly integrity: Integrity;
  wipe(): void;
}

/** Derives the MAC keys from the integrity key (HKDF-SHA-256, RFC 5869, one label per use). The caller may wipe that key afterwards. */
export function openIntegrity(integrityKey: Secret): OpenIntegrity {
  const subKey = (use: string) =>
    new Secret(new Uint8Array(hkdfSync('sha256', integrityKey.bytes, new Uint8Array(0), `countersign/integrity/v1/${use}`, 32)));
  const [rows, activities, elements, heads] = [subKey('row'), subKey('activity'), subKey('element'), subKey('head')];
  const [events, codes, mailbox, times] = [subKey('event'), subKey('code'), subKey('mailbox'), subKey('time-mark')];
  const [logEntries, logStates, logHeads] = [subKey('log-entry'), subKey('log-state'), subKey('log-head')];
  const [salts, epochs, copies, archives] = [subKey('leaf-salt'), subKey('epoch'), subKey('copy'), subKey('archived')];
  const mac = (key: Secret, data: string | Uint8Array) => createHmac('sha256', key.bytes).update(data);

  return {
    integrity: Object.freeze<Integrity>({
      row: (table, organizationId, kind, id, body) => mac(rows, encodeFields(table, organizationId, kind, id, body)).digest(),
      activity: ({ organizationId, id, revision, fingerprint, type, status, body }) =>
        mac(activities, encodeFields(organizationId, id, `${revision}`, fingerprint, type, status, body)).digest(),
      element: (rowMac) => BigInt(`0x${mac(elements, rowMac).digest('hex')}`),
      head: (organizationId, version, recordsSum, keysSum) =>
        mac(heads, encodeFields(organizationId, `${version}`, `${recordsSum}`, `${keysSum}`)).digest(),
      event: ({ organizationId, id, listenerId, endpointId, createdAtMs, body }) =>
        mac(events, encodeFields(organizationId, id, listenerId, endpointId, `${createdAtMs}`, body)).digest(),
      timeMark: (atMs) => mac(times, `${atMs}`).digest(),
      code: (organizationId, codeId, code) => mac(codes, encodeFields(organizationId, codeId, code)).digest(),
      epoch: ({ number, id, raisedAtMs }) => mac(epochs, encodeFields(`${number}`, id, `${raisedAtMs}`)).digest(),
      copy: (kind, text) => mac(copies, encodeFields(kind, text)).digest(),
      archived: ({ organizationId, activityId, revision, fingerprint, archive, activityMac }) =>
        mac(archives, encodeFields(organizationId, activityId, `${revision}`, fingerprint, archive, hex(activityMac))).digest(),
      logEntry: ({ organizationId, activityId, revision, body }) =>
        mac(logEntries, encodeFields(organizationId, activityId, `${revision}`, body)).digest(),
      logState: ({ size, root, frontier }) => mac(logStates, encodeFields(`${size}`, hex(root), hex(frontier))).digest(),
      logHead: ({ organizationId, sequence, leafHash }) =>
        mac(logHeads, encodeFields(organizationId, `${sequence}`, hex(leafHash))).digest(),
      leafSalt: (organizationId, sequence) => mac(salts, encodeFields(organizationId, `${sequence}`)).digest(),
      mailboxToken: mac(mailbox, 'page').digest('base64url'),
    }),
    wipe() {
      for (const key of [rows, activities, elements, heads, events, codes, mailbox, times]) key.wipe();
      for (const key of [logEntries, logStates, logHeads, salts, epochs, copies, archives]) key.wipe();
    },
  };
}
