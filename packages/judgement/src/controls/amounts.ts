import { memoizeByRef, memoizeLast } from '@countersign/collections';
import { activityKind } from '@countersign/contract';
import type { Judgement } from '../judgement.ts';
import type { JudgedOrganization } from '../organization.ts';
import { rawContentOf } from '../raw-content.ts';
import type { ContactRecord } from '../records.ts';
import { rulesOf } from '../rules.ts';
import { bucketName, type Group } from './bucket.ts';
import { entriesFor, isOnEveryChain, listedNames } from './counted-assets.ts';
import { ONE, scaleAmount } from './decimal.ts';
import { type ControlModel, kindsOfSigning, modelOf } from './model.ts';
import type { VelocityControlRecord } from './record.ts';
import { type Move, type Moves, movesOf } from './transfers.ts';

/** What a request adds to one bucket. */
export interface Count {
  readonly bucket: string;
  /** Scaled by 10^18. 0 if the control's value depends on the bucket but the request adds nothing to it. */
  readonly amount: bigint;
  readonly group: Group;
}

/** What a request adds to one control. */
export interface Counted {
  /** The organization that the control belongs to. */
  readonly organizationId: string;
  readonly controlId: string;
  readonly control: VelocityControlRecord;
  /** Each bucket once. */
  readonly counts: readonly Count[];
  /** Why the request may add more than `counts`, as the end of a sentence. The control then has no value. */
  readonly unread?: string;
}

/** The part of a judgement that counting reads. */
export type CountedRequest = Pick<Judgement, 'organization' | 'target' | 'votes' | 'definition' | 'type' | 'subject' | 'rules'>;

/** Amounts from here on mean "everything", not a number that a limit could apply to. */
const BEYOND_COUNTING = 10n ** 56n;

/** The most buckets of one control that a request may touch. Above this, the control has no value. */
const MAX_BUCKETS = 100;

/**
 * What a request adds, once executed, to every control that counts it: the controls of the organization that authorizes it, and of the
 * organization that it changes. Buckets to which it adds nothing are left out.
 */
export function countsOf(request: CountedRequest): readonly Counted[] {
  const organizations = request.target.id === request.organization.id ? [request.target] : [request.organization, request.target];
  const found: Counted[] = [];
  for (const organization of organizations) {
    if (organization.records.velocityControl.size === 0) continue;
    for (const [controlId, control] of candidatesFor(request, organization)) {
      const counted = countOnce(request, organization, controlId, control);
      if (counted.counts.every(({ amount }) => amount > 0n)) {
        if (counted.counts.length > 0) found.push(counted);
        continue;
      }
      const counts = counted.counts.filter(({ amount }) => amount > 0n);
      if (counts.length > 0) found.push({ ...counted, counts });
    }
  }
  return found;
}

type ControlEntry = readonly [string, VelocityControlRecord];

/**
 * The controls to which a request can add: those of its activity kind, and those of an asset that it moves. Other controls cost nothing.
 */
function candidatesFor(request: CountedRequest, { records }: JudgedOrganization): Iterable<ControlEntry> {
  const { byKind, ofAllKinds, byAsset, ofTransfers } = indexOf(records.velocityControl);
  const ofKind = byKind.size === 0 ? [] : [...new Set(signedKindsOf(request).flatMap((kind) => byKind.get(kind) ?? []))];
  if (byAsset.size === 0) return ofAllKinds.length === 0 ? ofKind : [...ofKind, ...ofAllKinds];
  const found = new Set<ControlEntry>([...ofKind, ...ofAllKinds]);
  for (const { asset } of movesOfRequest(request).moves) {
    if (isOnEveryChain(asset)) for (const held of ofTransfers) found.add(held);
    else for (const name of listedNames(asset)) for (const held of byAsset.get(name) ?? []) found.add(held);
  }
  return found;
}

/** The controls of an organization that count activities, by kind, and those that count transfers, by asset. */
const indexOf = memoizeByRef((controls: ReadonlyMap<string, VelocityControlRecord>) => {
  const byKind = new Map<string, ControlEntry[]>();
  const byAsset = new Map<string, ControlEntry[]>();
  const ofAllKinds: ControlEntry[] = [];
  const ofTransfers: ControlEntry[] = [];
  const add = (index: Map<string, ControlEntry[]>, key: string, held: ControlEntry) =>
    index.set(key, [...(index.get(key) ?? []), held]);
  for (const held of controls) {
    const { kinds, assets } = modelOf(held[1]);
    for (const asset of assets?.keys() ?? []) add(byAsset, asset, held);
    if (assets !== undefined) {
      ofTransfers.push(held);
      continue;
    }
    if (kinds === undefined) ofAllKinds.push(held);
    for (const kind of kinds ?? []) add(byKind, kind, held);
  }
  return { byKind, byAsset, ofAllKinds, ofTransfers };
});

/**
 * What a request adds to one control of the organization that authorizes it, including buckets to which it adds nothing but on which the
 * control's value depends.
 */
export function countOf(request: CountedRequest, controlId: string): Counted | undefined {
  const control = request.organization.records.velocityControl.get(controlId);
  return control && countOnce(request, request.organization, controlId, control);
}

/** Counts by the subject of the request's plan. The decision, its explanation and the commit all need the same counts. */
const countedFor = memoizeLast(
  (_: CountedRequest['subject']) => new Map<VelocityControlRecord, readonly [CountedRequest, Counted]>(),
);

function countOnce(
  request: CountedRequest,
  organization: JudgedOrganization,
  controlId: string,
  control: VelocityControlRecord,
): Counted {
  if (isSettled(control)) return settledCount(request, organization, controlId, control);
  const known = countedFor(request.subject);
  const [of, before] = known.get(control) ?? [];
  // SECURITY: compare the organizations too, because their contacts determine the group of a recipient.
  const isSame =
    of !== undefined &&
    of.organization === request.organization &&
    of.target === request.target &&
    of.definition === request.definition &&
    of.type === request.type &&
    of.rules === request.rules &&
    of.votes[0]?.userId === request.votes[0]?.userId;
  if (isSame && before !== undefined) return before;
  const counted = countFor(request, movesOfRequest(request), organization, controlId, control);
  known.set(control, [request, counted]);
  return counted;
}

/** Whether the counts of a control depend only on the type and the submitter of an activity, so that they can be cached across requests. */
function isSettled(control: VelocityControlRecord): boolean {
  const { assets, groupBy } = modelOf(control);
  return assets === undefined && (groupBy === 'organization' || groupBy === 'user');
}

/** The counts of such controls, by everything that they depend on. */
const settled = memoizeByRef((_: VelocityControlRecord) => new Map<string, Counted>());
/** Bounds the memory of the cache per control. */
const MAX_SETTLED = 1_000;

function settledCount(
  request: CountedRequest,
  organization: JudgedOrganization,
  controlId: string,
  control: VelocityControlRecord,
): Counted {
  const known = settled(control);
  const user = modelOf(control).groupBy === 'user' ? request.votes[0]?.userId : '';
  const isRead = rawContentOf(request)?.isComplete ?? '';
  const key = `${organization.id}/${controlId}/${request.type}/${user}/${timesOf(request, modelOf(control))}/${isRead}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const counted = countFor(request, nothingMoves, organization, controlId, control);
  if (known.size >= MAX_SETTLED) known.clear();
  known.set(key, counted);
  return counted;
}

const nothingMoves: Moves = { moves: [] };

/**
 * What a request moves. Each of its limits needs it.
 * SECURITY: D902: a replacement moves what the transaction that it replaces moved, and limits counted that. So it adds nothing, and a
 * cancellation gives nothing back.
 */
export function movesOfRequest(
  request: Parameters<typeof rawContentOf>[0] & Pick<CountedRequest, 'definition' | 'subject'>,
): Moves {
  if (request.definition.policy.action !== 'SIGN' || request.subject.isReplacement === true) return nothingMoves;
  const raw = rawContentOf(request);
  const { callsHide } = rulesOf(request);
  if (raw !== undefined) return movesOf(request.subject, true, raw, callsHide);
  return callsHide ? movesOf(request.subject, true, undefined, true) : signedMoves(request.subject);
}

const signedMoves = memoizeLast((subject: CountedRequest['subject']) => movesOf(subject, true));

/**
 * How often an activity counts in a limit on the number of activities.
 * SECURITY: D483: a batch counts each of its signatures. By the first rules it counted once. D481: a transaction that is signed as a raw
 * payload counts as a transaction.
 */
function timesOf(request: CountedRequest, { kinds, isStrict }: ControlModel): number {
  if (kinds === undefined || kinds.has(activityKind(request.type))) return isStrict ? (request.subject.signatures ?? 1) : 1;
  if (!isStrict) return 0;
  const signed = signedKindsOf(request).slice(1);
  const times = signed.filter((kind) => kinds.has(kind)).length;
  // A replacement is one signature, although it is read as signing and as sending.
  return request.subject.isReplacement === true ? Math.min(times, 1) : times;
}

/** The kind of a request, and those of the transactions that its raw payloads are. */
function signedKindsOf(request: CountedRequest): readonly string[] {
  const readings = rulesOf(request).countsRawTransactions ? (rawContentOf(request)?.readings ?? []) : [];
  return [request.type, ...readings.map(({ definition }) => definition.type)].map(activityKind);
}

function countFor(
  request: CountedRequest,
  { moves, unread }: Moves,
  organization: JudgedOrganization,
  controlId: string,
  control: VelocityControlRecord,
): Counted {
  const model = modelOf(control);
  const base = { organizationId: organization.id, controlId, control };
  const buckets = new Buckets(controlId, control);
  const fixed = fixedGroups(request, model);
  for (const group of fixed ?? []) buckets.add(group, 0n);
  if (!countsKind(request, model)) {
    const unfiltered = signsUnfiltered(model, activityKind(request.type));
    return { ...base, counts: buckets.all, ...(unfiltered !== undefined && { unread: unfiltered }) };
  }
  if (model.assets === undefined) {
    for (const group of fixed ?? []) buckets.add(group, ONE * BigInt(timesOf(request, model)));
    return { ...base, counts: buckets.all, ...partlyRead(request, model) };
  }
  let reason = unread;
  for (const move of moves) {
    const amount = amountOf(move, model);
    if (amount === 'OTHER_ASSET') continue;
    if (amount === undefined) reason ??= `it can move any amount of ${move.asset}`;
    const groups = fixed ?? groupsOfReceiver(move, model, organization);
    if (groups === undefined) reason ??= 'it does not tell who receives';
    for (const group of groups ?? [{ by: model.groupBy, key: '' }]) buckets.add(group, amount ?? 0n);
  }
  if (buckets.all.length > MAX_BUCKETS) reason ??= `it has more than ${MAX_BUCKETS} receivers`;
  return { ...base, counts: buckets.all, ...(reason !== undefined && { unread: reason }) };
}

/** Whether a limit counts requests of this kind. */
export function countsKind(request: CountedRequest, model: ControlModel): boolean {
  if (model.assets === undefined) return timesOf(request, model) > 0;
  return model.kinds === undefined || kindsOf(request).some((kind) => model.kinds?.has(kind));
}

/** The kinds of activity that a request counts as. SECURITY: D470: a payment that is signed as a raw payload counts as a transaction. */
function kindsOf(request: CountedRequest): readonly string[] {
  const readings = rawContentOf(request)?.readings ?? [];
  return [request.type, ...readings.map(({ definition }) => definition.type)].map(activityKind);
}

/** Why a limit on the number of transactions has no value for raw payloads: one of them is not read, so it may be a transaction too. */
function partlyRead(request: CountedRequest, model: ControlModel): { readonly unread?: string } {
  const kind = activityKind(request.type);
  if (model.kinds === undefined || model.kinds.has(kind) || rawContentOf(request)?.isComplete === true) return {};
  const unread = signsUnfiltered(model, kind);
  return unread === undefined ? {} : { unread };
}

/**
 * Why a limit has no value for an activity that its filter does not count. Undefined if it has one.
 * SECURITY: D481: a limit on some kinds of signing does not make the other kinds free. By the first rules it did.
 */
function signsUnfiltered({ kinds = new Set(), isStrict }: ControlModel, kind: string): string | undefined {
  const signs = [...kinds].filter((each) => kindsOfSigning.has(each));
  if (!isStrict || signs.length === 0 || !kindsOfSigning.has(kind)) return undefined;
  return `it counts ${signs.join(', ')}, and this is ${kind}`;
}

/** The amounts of one control by bucket. */
class Buckets {
  private readonly found = new Map<string, Count>();
  private readonly controlId: string;
  private readonly epoch: number;

  constructor(controlId: string, { epoch }: VelocityControlRecord) {
    this.controlId = controlId;
    this.epoch = epoch;
  }

  get all(): readonly Count[] {
    return [...this.found.values()];
  }

  add(group: Group, amount: bigint): void {
    const bucket = bucketName(this.controlId, this.epoch, group);
    this.found.set(bucket, { bucket, group, amount: (this.found.get(bucket)?.amount ?? 0n) + amount });
  }
}

/** The amount that a move adds. Undefined if it has no bound. */
function amountOf({ asset, amount }: Move, model: ControlModel): bigint | undefined | 'OTHER_ASSET' {
  const entries = entriesFor(model, asset);
  if (entries === 'UNTOLD') return undefined;
  if (entries.length === 0) return 'OTHER_ASSET';
  if (amount === undefined) return undefined;
  let sum = 0n;
  for (const { decimals, rate } of entries) sum += model.method === 'SUM' ? scaleAmount(amount, decimals, rate) : ONE;
  return sum < BEYOND_COUNTING ? sum : undefined;
}

/** The groups of a request that do not depend on what it moves. Undefined if the recipients determine the groups. */
function fixedGroups(
  { votes, subject: { key, wallet, wallets } }: CountedRequest,
  { groupBy }: ControlModel,
): Group[] | undefined {
  switch (groupBy) {
    case 'organization':
      return [{ by: groupBy, key: '' }];
    case 'user':
      return [{ by: groupBy, key: votes[0]?.userId ?? '' }];
    case 'wallet': {
      const held = key?.kind === 'walletAccount' ? key.body.walletId : key?.id;
      const ids = wallets?.map(({ id }) => id) ?? [wallet?.id ?? held ?? ''];
      return [...new Set(ids)].map((id) => ({ by: groupBy, key: id }));
    }
    default:
      return undefined;
  }
}

const tagsByAddress = memoizeByRef((contacts: ReadonlyMap<string, ContactRecord>) => {
  const tags = new Map<string, Set<string>>();
  for (const { address, contactTags } of contacts.values()) {
    const known = tags.get(address) ?? new Set();
    tags.set(address, known);
    for (const tag of contactTags) known.add(tag);
  }
  return tags;
});

function groupsOfReceiver(
  { to, addresses }: Move,
  { groupBy }: ControlModel,
  { records }: JudgedOrganization,
): Group[] | undefined {
  if (to === undefined) return undefined;
  if (groupBy === 'destination') return [{ by: groupBy, key: to }];
  const tags = new Set(addresses.flatMap((address) => [...(tagsByAddress(records.contact).get(address) ?? [])]));
  return (tags.size === 0 ? [''] : [...tags].sort()).map((key) => ({ by: groupBy, key }));
}
