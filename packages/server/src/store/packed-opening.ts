import type { LogLeafRow } from './rows.ts';

/**
 * The binary form of the opening of a leaf. Columns of its row have the organization, the activity, the revision and the sequence number,
 * and digests take half as many bytes as in hex. Bytes:
 *
 *     01                 this form
 *     status             index in `statuses`
 *     length, type       without `ACTIVITY_TYPE_`
 *     length, kind       of the credential
 *     present            one bit for each optional member, see `optional`
 *     6 bytes            the time
 *     4 bytes            the version of the head
 *     32 bytes           the fingerprint
 *     16 or 32 bytes     each optional member that is present
 *
 * The canonical text of an opening follows from these. An opening that does not fit, such as that of a new organization, stays text.
 * INVARIANT: stored leaves have this form, so it never changes. A leaf in another form would start with another byte.
 */
const FORM = 1;

const statuses = ['CREATED', 'PENDING', 'CONSENSUS_NEEDED', 'COMPLETED', 'FAILED', 'REJECTED'];

/** Optional members and their lengths, in the order of their bits. */
const optional = [
  ['previousLeaf', 32],
  ['decisionDigest', 32],
  ['resultDigest', 32],
  ['judgedBy', 16],
  ['authorizationDigest', 32],
  ['headDigest', 32],
] as const;

type Optional = (typeof optional)[number][0];

const digest = '[0-9a-f]{64}|';
const number = '0|[1-9][0-9]{0,15}';
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** Matches only texts that `toText` writes. So a packed opening has the same text when it is read. */
const form = new RegExp(
  `^\\{"version":2,"shard":0,"organizationId":"(?<organizationId>${uuid})","sequence":(?<sequence>${number}),` +
    `"previousLeaf":"(?<previousLeaf>${digest})","activityId":"(?<activityId>${uuid})","revision":(?<revision>${number}),` +
    `"fingerprint":"sha256:(?<fingerprint>[0-9a-f]{64})","type":"ACTIVITY_TYPE_(?<type>[A-Z0-9_]{1,128})",` +
    `"status":"ACTIVITY_STATUS_(?<status>[A-Z_]{1,32})","decisionDigest":"(?<decisionDigest>${digest})",` +
    `"resultDigest":"(?<resultDigest>${digest})","timeMs":(?<timeMs>${number}),(?:"judgedBy":"(?<judgedBy>${uuid})",)?` +
    `"credentialKind":"(?<kind>[A-Z0-9_]{1,32})","authorizationDigest":"(?<authorizationDigest>${digest})",` +
    `"headVersion":(?<headVersion>${number}),"headDigest":"(?<headDigest>${digest})"\\}$`,
);

type Groups = Readonly<
  Record<'organizationId' | 'sequence' | 'activityId' | 'revision' | 'fingerprint' | 'type' | 'status' | 'timeMs', string> &
    Record<'kind' | 'headVersion', string> &
    Record<Optional, string | undefined>
>;

const NOTHING = new Uint8Array();

/** The binary form of the opening of a leaf. Empty if it has none. */
export function packOpening(
  leaf: Pick<LogLeafRow, 'organizationId' | 'activityId' | 'revision' | 'sequence' | 'opening'>,
): Uint8Array {
  const found = form.exec(leaf.opening)?.groups as Groups | undefined;
  if (found === undefined) return NOTHING;
  const status = statuses.indexOf(found.status);
  const [timeMs, headVersion] = [Number(found.timeMs), Number(found.headVersion)];
  const isOfRow =
    found.organizationId === leaf.organizationId &&
    found.activityId === leaf.activityId &&
    found.sequence === String(leaf.sequence) &&
    found.revision === String(leaf.revision);
  if (!isOfRow || status < 0 || timeMs >= 2 ** 48 || headVersion >= 2 ** 32) return NOTHING;
  const present = optional.filter(([name]) => (found[name] ?? '') !== '');
  const length = present.reduce((sum, [, bytes]) => sum + bytes, 4 + found.type.length + found.kind.length + 1 + 6 + 4 + 32);
  const packed = Buffer.allocUnsafe(length);
  packed[0] = FORM;
  packed[1] = status;
  let at = 2;
  for (const text of [found.type, found.kind]) {
    packed[at] = text.length;
    at += 1 + packed.write(text, at + 1, 'latin1');
  }
  packed[at++] = optional.reduce((bits, [name], bit) => ((found[name] ?? '') === '' ? bits : bits | (1 << bit)), 0);
  at = packed.writeUIntBE(timeMs, at, 6);
  at = packed.writeUInt32BE(headVersion, at);
  at += packed.write(found.fingerprint, at, 'hex');
  for (const [name] of present) at += packed.write((found[name] as string).replaceAll('-', ''), at, 'hex');
  return packed;
}

/** The text of a packed opening. Empty for bytes that `packOpening` does not make: no leaf of the tree fits that. */
export function unpackOpening(
  { organizationId, activityId, revision, sequence }: Pick<LogLeafRow, 'organizationId' | 'activityId' | 'revision' | 'sequence'>,
  packed: Uint8Array,
): string {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  const status = statuses[bytes[1] ?? statuses.length];
  if (bytes[0] !== FORM || status === undefined) return '';
  let at = 2;
  const text = () => {
    const start = at + 1;
    at = start + (bytes[at] ?? 0);
    return bytes.toString('latin1', start, at);
  };
  const [type, kind] = [text(), text()];
  const bits = bytes[at] ?? 0;
  const found: Partial<Record<Optional, string>> = {};
  let from = at + 1 + 6 + 4 + 32;
  for (const [bit, [name, length]] of optional.entries()) {
    if ((bits & (1 << bit)) === 0) continue;
    found[name] = bytes.toString('hex', from, from + length);
    from += length;
  }
  if (from !== bytes.length) return '';
  const timeMs = bytes.readUIntBE(at + 1, 6);
  const headVersion = bytes.readUInt32BE(at + 7);
  const fingerprint = bytes.toString('hex', at + 11, at + 43);
  const judgedBy = found.judgedBy === undefined ? '' : `"judgedBy":"${toUuid(found.judgedBy)}",`;
  return (
    `{"version":2,"shard":0,"organizationId":"${organizationId}","sequence":${sequence},"previousLeaf":"${found.previousLeaf ?? ''}",` +
    `"activityId":"${activityId}","revision":${revision},"fingerprint":"sha256:${fingerprint}","type":"ACTIVITY_TYPE_${type}",` +
    `"status":"ACTIVITY_STATUS_${status}","decisionDigest":"${found.decisionDigest ?? ''}","resultDigest":"${found.resultDigest ?? ''}",` +
    `"timeMs":${timeMs},${judgedBy}"credentialKind":"${kind}","authorizationDigest":"${found.authorizationDigest ?? ''}",` +
    `"headVersion":${headVersion},"headDigest":"${found.headDigest ?? ''}"}`
  );
}

function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The packed openings of a status, and of a type if one is given: from the first bytes up to, but not including, the second. */
export function packedRange(status: string, type?: string): readonly [from: Uint8Array, to: Uint8Array] {
  const named = type?.replace(/^ACTIVITY_TYPE_/, '');
  const prefix = [FORM, statuses.indexOf(status.replace(/^ACTIVITY_STATUS_/, ''))];
  if (named !== undefined) prefix.push(named.length, ...Buffer.from(named, 'latin1'));
  const next = [...prefix];
  next[next.length - 1] = (next.at(-1) as number) + 1;
  return [Uint8Array.from(prefix), Uint8Array.from(next)];
}
