import { type PastRequestShape, type PastStateShape, policyFields } from '@countersign/contract';
import { type JudgedOrganization, peopleOf, toDecisionRequest, toPolicySource } from '@countersign/judgement';
import { createSlices, type EndSlice, nextTurn } from '../admission/index.ts';
import { hasMaskedParameters, publicView } from '../dialects/redaction.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { toTimestamp } from '../organizations/views.ts';
import { invalidField, notFound } from '../wire/refuse.ts';
import type { BacktestServices, PastRequests, PastRequestsPart } from './backtest-types.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { encodeValue } from './encode-value.ts';
import type { HistoryCache } from './history-cache.ts';
import { HistoryCursor, PastKeys } from './history-cursor.ts';
import type { History } from './history-reader.ts';
import { decideAgain, isReproduced, lastDecision, type PastCase, type PastDecision, pastCase } from './past-case.ts';
import { beginRange } from './range.ts';
import type { Slots } from './slots.ts';
import { compareTimestamps, type Timestamp } from './timestamp.ts';
import { Totals } from './totals.ts';

/** A response ends early after this many characters. SECURITY: A59: a state can list thousands of users and contacts. */
const MAX_LENGTH = 4_000_000;
/** Records that are added together if the previous ones were not long. */
const READ_TOGETHER = 16;
const SHORT_PART = 65_536;
/** If an organization has more users, a state lists only approvers and the root quorum. */
const MAX_USERS = 1000;

export function createPastRequests(
  services: BacktestServices,
  { histories, slots }: { histories: HistoryCache; slots: Slots },
): PastRequests {
  return { list: (request) => slots.run(request.organization.id, () => list(request)) };

  async function list({ activityIds, ...request }: Parameters<PastRequests['list']>[0]): Promise<PastRequestsPart> {
    const { organization, range, limit } = request;
    const begun = request.cursor === undefined ? await beginRange(services, request) : undefined;
    const { afterId: from, endId, startedAtMs } = begun ?? readCursor(request.cursor as string);
    const history = await histories.read(organization, startedAtMs);
    const endSlice = request.endSlice ?? createSlices(organization.id);
    const part = new PartBuilder(services, organization, history, endSlice);
    if (activityIds !== undefined) {
      // Ids sort by creation time, and walking through the history is cheap in that order.
      // SECURITY: D250: one at a time: a hundred activities of a megabyte each blocked the event loop for seconds.
      for (const id of [...new Set(activityIds)].sort()) {
        const record = await services.activities.get(organization.id, id);
        if (record === undefined) throw notFound('activity', `activityIds.${activityIds.indexOf(id)}`);
        await part.add([record]);
        if (part.length > MAX_LENGTH)
          throw invalidField(
            'activityIds',
            `must list activities that have no more than ${MAX_LENGTH.toLocaleString('en')} characters together. Request fewer at a time`,
          );
      }
      part.sort();
      return part.build();
    }
    const wanted = range.userIds && new Set(range.userIds);
    const filter = range.types ? { types: range.types } : {};
    let afterId = from;
    let left = limit;
    let isOver = true;
    for await (const found of services.activities.pageParts(organization.id, filter, { limit, before: from })) {
      const records = found.filter(({ id }) => id < endId).toReversed();
      const isWanted = ({ votes }: ActivityRecord) => wanted === undefined || wanted.has(votes[0]?.userId ?? '');
      const added = await part.addWithin(records, isWanted);
      left -= added;
      afterId = records[added - 1]?.id ?? afterId;
      isOver = added === records.length && records.length < found.length;
      if (isOver || left === 0 || part.length >= MAX_LENGTH) break;
      isOver = true;
      await nextTurn(organization.id);
    }
    const next = isOver ? {} : { next: writeCursor({ afterId, endId, startedAtMs }) };
    return { ...part.build(), ...(begun && { total: begun.total }), ...next };
  }
}

/** Builds one part of a response. */
class PartBuilder {
  /** Approximate number of characters so far. */
  length = 0;
  readonly #services: BacktestServices;
  readonly #cursor: HistoryCursor;
  readonly #keys: PastKeys;
  readonly #knownSinceMs: number;
  readonly #totals = new Totals();
  readonly #requests: { readonly timestamp: Timestamp; readonly shown: PastRequestShape }[] = [];
  readonly #endSlice: EndSlice;
  readonly #states: PastStateShape[] = [];
  readonly #stateOf = new Map<JudgedOrganization, number>();

  constructor(services: BacktestServices, now: Snapshot, history: History, endSlice: EndSlice) {
    this.#services = services;
    this.#cursor = new HistoryCursor(history);
    this.#keys = new PastKeys(services.resources, now);
    this.#knownSinceMs = history.knownSinceMs;
    this.#endSlice = endSlice;
  }

  /**
   * Adds records until the response is long enough. Returns the number of records that it read.
   * SECURITY: D351: every record may need another state, and each state contains all policies.
   */
  async addWithin(records: readonly ActivityRecord[], isWanted: (record: ActivityRecord) => boolean): Promise<number> {
    let count = 1;
    for (let at = 0; at < records.length; ) {
      const before = this.length;
      const some = records.slice(at, at + count);
      await this.add(some.filter(isWanted));
      at += some.length;
      if (this.length >= MAX_LENGTH) return at;
      count = this.length - before < SHORT_PART ? READ_TOGETHER : 1;
    }
    return records.length;
  }

  async add(records: readonly ActivityRecord[]): Promise<void> {
    const found = records.flatMap((record): PastDecision[] => {
      const decision = lastDecision(record);
      if (record.judgedBy !== undefined) this.#totals.unknown('JUDGED_BY_PARENT', record.id);
      else if (decision === undefined) this.#totals.unknown('NO_DECISION_KEPT', record.id);
      else if (decision.timestamp.atMs < this.#knownSinceMs) this.#totals.unknown('TOO_LONG_AGO', record.id);
      else return [decision];
      return [];
    });
    for (const decision of found.sort((a, b) => compareTimestamps(a.timestamp, b.timestamp))) {
      const isMasked = hasMaskedParameters(decision.record.type);
      const one = isMasked ? undefined : await pastCase(decision, this.#cursor.at(decision.timestamp), this.#keys);
      if (one === undefined) this.#totals.unknown('NOT_UNDERSTOOD', decision.record.id);
      else if (isReproduced(one, await decideAgain(this.#services.authorize, one.judgement, this.#endSlice))) this.#add(one);
      else this.#totals.unknown('NOT_REPRODUCED', decision.record.id);
      await this.#endSlice();
    }
  }

  /** Sorts requests that were added individually by the time of their decisions. */
  sort(): void {
    this.#requests.sort((a, b) => compareTimestamps(a.timestamp, b.timestamp));
  }

  build(): PastRequestsPart {
    return { requests: this.#requests.map(({ shown }) => shown), states: this.#states, unknown: this.#totals.report().unknown };
  }

  #add(one: PastCase): void {
    const { record, stored, timestamp, judgement, organization } = one;
    const request = toDecisionRequest(judgement);
    const { contacts: _, ...namespaces } = request.namespaces;
    const shown: PastRequestShape = {
      activityId: record.id,
      type: record.type,
      userId: record.votes[0]?.userId ?? '',
      createdAt: toTimestamp(record.createdAtMs),
      decidedAtMs: `${timestamp.atMs}`,
      decided: stored.outcome,
      ...(stored.by !== undefined && { by: stored.by }),
      approvers: request.approvers.map(({ id }, index) => ({
        userId: id,
        credentialType: request.credentials[index]?.type ?? '',
      })),
      parameters: parametersOf(one),
      namespaces: Object.fromEntries(
        Object.entries(namespaces).flatMap(([path, value]) => {
          const made = typeof value === 'function' ? value() : value;
          return made === undefined ? [] : [[path, encodeValue(made)]];
        }),
      ),
      state: this.#state(organization, one),
    };
    this.length += JSON.stringify(shown).length;
    this.#requests.push({ timestamp, shown });
  }

  #state(organization: JudgedOrganization, one: PastCase): number {
    const known = this.#stateOf.get(organization);
    if (known !== undefined) return known;
    const state = stateOf(organization, one);
    this.#stateOf.set(organization, this.#states.length);
    this.length += JSON.stringify(state).length;
    return this.#states.push(state) - 1;
  }
}

/** The parameters that policies see. SECURITY: D101: they contain no secret. */
function parametersOf({ record, judgement: { definition, params, subject } }: PastCase): Record<string, unknown> {
  const sent = { ...(params as Record<string, unknown>), ...subject.parameters?.() };
  const shown = publicView(record.type).params(sent) as Record<string, unknown>;
  const wires = [...policyFields(definition).values()].map(({ wire }) => wire);
  return Object.fromEntries(wires.filter((wire) => shown[wire] !== undefined).map((wire) => [wire, shown[wire]]));
}

function stateOf(organization: JudgedOrganization, { votes }: PastCase): PastStateShape {
  const { rootQuorum } = organization.profile;
  const people = [...peopleOf(organization).users.values()];
  const needed = new Set([...rootQuorum.userIds, ...votes.map(({ userId }) => userId)]);
  const tagged = new Map<string, string[]>();
  for (const { address, contactTags } of organization.records.contact.values())
    for (const tag of contactTags) tagged.set(tag, [...(tagged.get(tag) ?? []), address]);
  return {
    users: people
      .filter(({ id }) => people.length <= MAX_USERS || needed.has(id))
      .map(({ id, tags, email, alias, credentials = [] }) => ({
        id,
        tags: [...tags],
        ...(email !== undefined && { email }),
        alias,
        ...(credentials[0] && { credentialType: credentials[0].type }),
      })),
    rootQuorum: { threshold: rootQuorum.threshold, userIds: [...rootQuorum.userIds] },
    policies: [...organization.policies].map(([policyId, record]) => {
      const { effect, condition, consensus, time } = toPolicySource(policyId, record);
      return {
        policyId,
        policyName: record.policyName,
        effect,
        ...(condition !== undefined && { condition }),
        ...(consensus !== undefined && { consensus }),
        ...(time !== undefined && { time }),
      };
    }),
    contacts: {
      all: [...organization.records.contact.values()].map(({ address }) => address),
      tagged: Object.fromEntries(tagged),
    },
  };
}
