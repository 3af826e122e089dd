import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { endianness } from 'node:os';
import { Secret } from '../keys/secret.ts';
import type { Integrity } from '../vault.ts';
import { encodeFields, keyedHash } from './keyed-hash.ts';

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

const DIGEST_BYTES = 32;
const LIMB_BYTES = 4;

/** The sum of concatenated 256-bit numbers, modulo 2^256. The sums of limbs are exact for up to two million numbers. */
export function sumOfElements(elements: Buffer): bigint {
  const sums = new Float64Array(DIGEST_BYTES / LIMB_BYTES);
  const view = new DataView(elements.buffer, elements.byteOffset, elements.length);
  for (let at = 0; at < elements.length; at += DIGEST_BYTES)
    for (let limb = 0; limb < sums.length; limb++) sums[limb] = (sums[limb] as number) + view.getUint32(at + limb * LIMB_BYTES);
  return sums.reduce((sum, limb) => ((sum << 32n) + BigInt(limb)) % MODULUS, 0n);
}

/** The concatenated bytes of texts, and the length of each. */
function joinTexts(texts: readonly string[]): { readonly bytes: Buffer; readonly lengths: Uint32Array } {
  const bytes = Buffer.from(texts.join(''));
  const lengths = Uint32Array.from(texts, ({ length }) => length);
  const characters = lengths.reduce((sum, length) => sum + length, 0);
  if (characters !== bytes.length) for (const [at, text] of texts.entries()) lengths[at] = Buffer.byteLength(text);
  return { bytes, lengths };
}

/**
 * The MAC input of a record or resource. Rows of earlier releases have no version and keep their input.
 * SECURITY: the inputs differ in their first field, so a row cannot lose its version.
 */
function rowFields(table: string, organizationId: string, kind: string, id: string, writtenBy: number, body: string): string {
  if (writtenBy === 0) return encodeFields(table, organizationId, kind, id, body);
  return encodeFields('2', table, organizationId, kind, id, `${writtenBy}`, body);
}

const hex = (bytes: Uint8Array) => (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)).toString('hex');

/** The MACs of an installation, and a way to wipe their keys. After `wipe` every call throws. */
export interface OpenIntegrity {
  readonly integrity: Integrity;
  wipe(): void;
}

/** Derives the MAC keys from the integrity key (HKDF-SHA-256, RFC 5869, one label per use). The caller may wipe that key afterwards. */
export function openIntegrity(integrityKey: Secret): OpenIntegrity {
  const subKey = (use: string) =>
    keyedHash(
      new Secret(
        new Uint8Array(hkdfSync('sha256', integrityKey.bytes, new Uint8Array(0), `countersign/integrity/v1/${use}`, 32)),
      ),
    );
  const [rows, activities, elements, heads] = [subKey('row'), subKey('activity'), subKey('element'), subKey('head')];
  const [events, codes, mailbox, times] = [subKey('event'), subKey('code'), subKey('mailbox'), subKey('time-mark')];
  const [logEntries, logStates] = [subKey('log-entry'), subKey('log-state')];
  const [salts, epochs, copies, archives] = [subKey('leaf-salt'), subKey('epoch'), subKey('copy'), subKey('archived')];
  const [usagePoints, usageKeys, machines] = [subKey('usage-point'), subKey('map-usage'), subKey('machine')];
  const [mailEvents, mailRecipients] = [subKey('mail-event'), subKey('mail-recipient')];
  const sessionUses = subKey('session-use');
  const [knownCallers, replayKeys] = [subKey('known-caller'), subKey('replay-keys')];
  const cursors = subKey('cursor');

  return {
    integrity: Object.freeze<Integrity>({
      row: (table, organizationId, kind, id, writtenBy, body) =>
        rows.digest(rowFields(table, organizationId, kind, id, writtenBy, body)),
      rows(table, organizationId, all) {
        const { bytes, lengths } = joinTexts(
          all.map(({ kind, id, writtenBy, body }) => rowFields(table, organizationId, kind, id, writtenBy, body)),
        );
        return rows.digestEach(bytes, lengths);
      },
      activity: ({ organizationId, id, revision, fingerprint, type, status, body }) =>
        activities.digest(encodeFields(organizationId, id, `${revision}`, fingerprint, type, status, body)),
      element: (rowMac) => BigInt(`0x${elements.digest(rowMac).toString('hex')}`),
      elements: (rowMacs) =>
        sumOfElements(elements.digestEach(rowMacs, new Uint32Array(rowMacs.length / DIGEST_BYTES).fill(DIGEST_BYTES))),
      head: (organizationId, version, recordsSum, keysSum) =>
        heads.digest(encodeFields(organizationId, `${version}`, `${recordsSum}`, `${keysSum}`)),
      event: ({ organizationId, id, listenerId, endpointId, createdAtMs, body }) =>
        events.digest(encodeFields(organizationId, id, listenerId, endpointId, `${createdAtMs}`, body)),
      timeMark: (atMs) => times.digest(`${atMs}`),
      code: (organizationId, codeId, code) => codes.digest(encodeFields(organizationId, codeId, code)),
      epoch: ({ number, id, raisedAtMs }) => epochs.digest(encodeFields(`${number}`, id, `${raisedAtMs}`)),
      copy: (kind, text) => copies.digest(encodeFields(kind, text)),
      archived: ({ organizationId, activityId, revision, fingerprint, archive, activityMac }) =>
        archives.digest(encodeFields(organizationId, activityId, `${revision}`, fingerprint, archive, hex(activityMac))),
      mailEvent: ({ organizationId, id, recipient, eventType, createdAtMs, body }) =>
        mailEvents.digest(encodeFields(organizationId, id, recipient, eventType, `${createdAtMs}`, body)),
      mailRecipient: (organizationId, address) => mailRecipients.digest(encodeFields(organizationId, address)),
      sessionUse: ({ organizationId, userId, id, kind, atMs, expiresAtMs, body }) =>
        sessionUses.digest(encodeFields(organizationId, userId, id, kind, `${atMs}`, `${expiresAtMs}`, body)),
      usagePoint: ({ organizationId, bucket, revision, atMs, total, activityId, previous }) =>
        usagePoints.digest(encodeFields(organizationId, bucket, `${revision}`, `${atMs}`, total, activityId, hex(previous))),
      logEntry({ format, organizationId, activityId, revision, body }) {
        const fields = [organizationId, activityId, `${revision}`, body];
        return logEntries.digest(format === 1 ? encodeFields(...fields) : encodeFields(`${format}`, ...fields));
      },
      logState({ size, root, frontier, mapRoot }) {
        const fields = [`${size}`, hex(root), hex(frontier)];
        return logStates.digest(mapRoot.length === 0 ? encodeFields(...fields) : encodeFields('2', ...fields, hex(mapRoot)));
      },
      mapUsageKey: (organizationId, bucket) => usageKeys.digest(encodeFields(organizationId, bucket)),
      machine: (how, id) => machines.digest(encodeFields(how, id)),
      knownCaller: (kind, text) => knownCallers.digest(encodeFields(kind, text)),
      replayKeys: (index, node, content) =>
        replayKeys.digest(Buffer.concat([Buffer.from(encodeFields(endianness(), `${index}`, hex(node))), content])),
      leafSalt: (organizationId, sequence) => salts.digest(encodeFields(organizationId, `${sequence}`)),
      cursor: (organizationId, fields) => cursors.digest(encodeFields(organizationId, ...fields)),
      mailboxToken: mailbox.digest('page').toString('base64url'),
    }),
    wipe() {
      for (const key of [rows, activities, elements, heads, events, codes, mailbox, times]) key.wipe();
      for (const key of [logEntries, logStates, salts, epochs, copies, archives, cursors]) key.wipe();
      for (const key of [usagePoints, usageKeys, machines, knownCallers, replayKeys, mailEvents, mailRecipients]) key.wipe();
      sessionUses.wipe();
    },
  };
}
