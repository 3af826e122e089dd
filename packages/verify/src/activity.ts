import type { ActivityDefinition, ActivityVersion } from '@countersign/contract';
import {
  type DecisionRecord,
  inheritedLimits,
  type Judgement,
  type StoredUsage,
  usageFrom,
  type VoteRecord,
} from '@countersign/judgement';
import type { Opening } from '@countersign/tlog';
import {
  APPROVE,
  credentialOf,
  DONE,
  elsewhere,
  FAILED,
  isRpcKey,
  REJECT,
  REJECTED,
  requireRpcBody,
  requireUnexpired,
  statusFits,
  WAITS,
} from './activity-checks.ts';
import { AuditError, must } from './audit-error.ts';
import {
  currentParameters,
  knownType,
  readBody,
  redactedParameters,
  requireLive,
  requireVoteFor,
  requireWithholdable,
} from './body.ts';
import type { SignatureChecks } from './checks.ts';
import type { CastVote, Changed, Content, LocalChange } from './format/lines.ts';
import type { HeadHistory } from './heads.ts';
import { requireAuthorization } from './judging/authorization.ts';
import { readDecision, requireVersions } from './judging/decision.ts';
import { type Case, judgementFor, mayApprove, rejudge, wasDeniedEarly } from './judging/rejudge.ts';
import type { SentHistory } from './judging/sent.ts';
import { type SigningCase, signingCase } from './judging/signing.ts';
import { requireNoted, requirePlausible } from './judging/touched.ts';
import type { UsageHistory } from './judging/usage.ts';
import { createdState } from './rules/creation.ts';
import { explained } from './rules/explained.ts';
import { requireUnfrozen } from './rules/frozen.ts';
import { requireDone } from './rules/required.ts';
import { ruleOf } from './rules/rules.ts';
import { verifyStamp } from './stamps/verify-stamp.ts';
import type { State } from './state/state.ts';
import type { Tally } from './tally.ts';
import { digestOf, digestOfText } from './text.ts';

/** Where an activity is checked, and what counts what was. */
export interface Place {
  readonly state: State;
  readonly checks: SignatureChecks;
  readonly tally: Tally;
  readonly usage: UsageHistory;
  readonly sent: SentHistory;
  readonly heads: HeadHistory;
}

/** An activity that the file follows from its first leaf to its last. */
export class FollowedActivity {
  readonly #definition: ActivityDefinition;
  readonly #version: ActivityVersion;
  readonly #fingerprint: string;
  readonly #type: string;
  /** Undefined while the body is withheld. */
  #params: unknown;
  #votes: readonly VoteRecord[] = [];
  #decision: DecisionRecord | undefined;
  #decisionDigest = '';

  constructor({ type, fingerprint }: Opening) {
    const { definition, version } = knownType(type);
    must(definition.vote === undefined, 'a vote has no leaf');
    must(/^sha256:[0-9a-f]{64}$/.test(fingerprint), 'its fingerprint is not the digest of a stamped body');
    this.#definition = definition;
    this.#version = version;
    this.#type = type;
    this.#fingerprint = fingerprint;
  }

  /** Checks one leaf. Returns whether the activity can have further leaves. */
  follow(opening: Opening, content: Content, place: Place): boolean {
    must(opening.type === this.#type && opening.fingerprint === this.#fingerprint, 'it does not match its earlier leaves');
    // SECURITY: D261: a leaf of version 2 itself names the organization that authorized it.
    const isSecond = opening.version === 2;
    if (isSecond) must(content.judgedBy === undefined, 'its leaf says who authorized it, so its content must not');
    if (isSecond) must(opening.revision === this.#votes.length, 'it is not the next step of its activity');
    const judgedBy = isSecond ? opening.judgedBy : content.judgedBy;
    if (judgedBy === undefined) this.#followOwn(opening, content, place);
    else this.#followJudgedElsewhere(opening, content, judgedBy, place);
    return opening.status === WAITS;
  }

  #followOwn(opening: Opening, { vote, body, decision, result, changed }: Content, place: Place): void {
    must(body === undefined, 'the body of an activity must be with its vote');
    if (vote === undefined) throw new AuditError('it has no stamp');
    this.#readBody(vote.body, vote.selection, opening, place);
    const before = this.#votes;
    this.#cast(vote, opening.timeMs, place);
    const kept: Partial<DecisionRecord> = decision === undefined ? {} : readDecision(decision);
    const { usage: stored } = kept;
    const isEarlyDenial = decision !== undefined && wasDeniedEarly(decision, this.#case(opening, undefined, undefined, place));
    // The service checked neither the key nor the payload.
    const signing =
      decision === undefined || isEarlyDenial ? undefined : this.#signingCase(place, vote.selection === REJECT, kept);
    const about = this.#case(opening, signing, stored, place);
    if (decision === undefined) this.#requireEnded(opening);
    else this.#decide(decision, vote, opening, about, before, place);
    if (opening.version === 2)
      requireAuthorization(opening, vote, decision === undefined ? undefined : this.#decision, about, place.tally);
    const outcome = this.#outcome(opening, result, changed);
    if (outcome === undefined) return;
    must(this.#decision?.outcome === 'ALLOW', 'it was executed, but the decision does not allow it');
    if (signing !== undefined) {
      place.tally.signatures += signing.verifyResult(result, place.checks);
      place.sent.follow(signing, result, place.usage.hasHidden, place.tally);
    }
    this.#change(outcome, result, opening, place, judgementFor(this.#decision, about), this.#decision.by);
  }

  /** SECURITY: the votes and decisions of a parent are not shown to its sub-organization. Its changes there are. */
  #followJudgedElsewhere(opening: Opening, content: Content, judgedBy: string, place: Place): void {
    const { vote, body, decision, result, changed } = content;
    must(this.#definition.parentMayAct, 'the parent may not do this in its sub-organization');
    must(judgedBy === place.state.profile.parentId, 'it was authorized by an organization that is not the parent');
    must(vote === undefined && decision === undefined, 'it was authorized by the parent, so its votes must not be in the file');
    // Each voter stamps another body. Only the first contains the request.
    if (this.#votes.length === 0) this.#readBody(body, APPROVE, opening, place);
    else if (body !== undefined)
      this.#requireVote(body, readBody(body).type.includes('REJECT') ? REJECT : APPROVE, opening.timeMs, place);
    this.#votes = [...this.#votes, elsewhere];
    place.tally.judgedByParent += 1;
    if (opening.version === undefined) place.tally.claimedByParent += 1;
    if (opening.status === DONE) place.usage.hide();
    const outcome = this.#outcome(opening, result, changed);
    if (outcome !== undefined) this.#change(outcome, result, opening, place, undefined, undefined);
  }

  #readBody(body: string | undefined, selection: string, { timeMs, status }: Opening, place: Place): void {
    if (this.#votes.length > 0) {
      // Only the body of the activity itself, stamped again, can contain a secret.
      if (body === undefined) requireWithholdable(this.#definition);
      else this.#requireVote(body, selection, timeMs, place);
      return;
    }
    if (body === undefined) {
      // What failed changed nothing, and the service keeps no long body of what it refused.
      if (status !== FAILED) requireWithholdable(this.#definition);
      place.tally.bodiesWithheld += 1;
      return;
    }
    must(`sha256:${digestOfText(body)}` === this.#fingerprint, 'its fingerprint is not that of the stamped body');
    const request = readBody(body);
    must(request.type === this.#type, 'its type is not that of the stamped body');
    const { id, profile } = place.state;
    const named = request.organizationId.toLowerCase();
    const isHere = named === id || (this.#definition.parentIdSuffices && named === profile.parentId);
    must(isHere, 'it was stamped for another organization');
    requireLive(request, timeMs);
    this.#params = currentParameters(this.#version, request.parameters);
  }

  /** A vote is a body that names the activity, or the body of the activity stamped again. */
  #requireVote(body: string, selection: string, timeMs: number, { state }: Place): void {
    const request = readBody(body);
    requireLive(request, timeMs);
    if (`sha256:${digestOfText(body)}` === this.#fingerprint)
      must(selection === APPROVE, 'the body of an activity cannot be a rejection');
    else requireVoteFor(request, state.id, this.#fingerprint, selection);
  }

  #cast(vote: CastVote, timeMs: number, { state, checks, tally }: Place): void {
    const { id, userId, credentialId, selection, scheme, signature, body } = vote;
    const credential = credentialOf(state, credentialId);
    if (credential.kind === 'apiKey') requireUnexpired(credential.record, timeMs);
    const digestHex = body === undefined ? this.#fingerprint.slice('sha256:'.length) : digestOfText(body);
    if (isRpcKey(credential)) {
      requireRpcBody(this.#definition.name, `sha256:${digestHex}` === this.#fingerprint, selection);
      tally.stampsByService += 1;
    }
    if (verifyStamp(vote, credential, { digestHex, body }, checks)) tally.stamps += 1;
    else tally.stampsNotShown += 1;
    const { publicKey } = credential.record;
    const base = { id, userId, userName: '', credentialId, selection, message: body ?? '', publicKey, signature, scheme };
    this.#votes = [...this.#votes, { ...base, createdAtMs: timeMs }];
  }

  /** The data to sign. A user may reject an activity because its key was deleted. */
  #signingCase({ state }: Place, isRejected: boolean, kept: Parameters<typeof signingCase>[3]): SigningCase | undefined {
    if (this.#params === undefined) return undefined;
    try {
      return signingCase(this.#definition.name, state, this.#params, kept);
    } catch (error) {
      if (isRejected && error instanceof AuditError) return undefined;
      throw error;
    }
  }

  #case(
    { timeMs }: Opening,
    signing: SigningCase | undefined,
    usage: readonly StoredUsage[] | undefined,
    { state }: Place,
  ): Case {
    const { subject } = signing ?? {};
    return {
      state,
      definition: this.#definition,
      type: this.#type,
      params: this.#params,
      votes: this.#votes,
      atMs: timeMs,
      subject,
      usage: usageFrom(usage),
    };
  }

  #decide(
    kept: unknown,
    vote: CastVote,
    opening: Opening,
    about: Case,
    before: readonly VoteRecord[],
    { tally, state, usage, heads }: Place,
  ): void {
    this.#decisionDigest = digestOf(kept);
    must(this.#decisionDigest === opening.decisionDigest, 'the decision does not match the log');
    const earlier = this.#decision;
    const decision = readDecision(kept);
    this.#decision = decision;
    if (opening.version === 2) requireVersions(decision, heads);
    must(decision.voteId === vote.id, 'the decision is for another vote');
    must(decision.createdAtMs === opening.timeMs, 'the decision was made at another time');
    must(statusFits(decision, opening.status), 'its status does not follow from the decision');
    if (vote.selection === REJECT) {
      must(decision.by === 'REJECTION' && opening.status === REJECTED, 'it was rejected, but the decision differs');
      const submitterId = before[0]?.userId;
      const hasSay =
        submitterId === vote.userId ||
        state.profile.rootQuorum.userIds.includes(vote.userId) ||
        earlier?.mayApprove?.includes(vote.userId) === true ||
        mayApprove({ ...about, votes: before, usage: usageFrom(earlier?.usage) }, earlier).includes(vote.userId);
      must(hasSay, 'it was rejected by a user who could not end it');
      tally.rejections += 1;
      return;
    }
    requirePlausible(this.#definition.name, this.#params, decision.subject);
    const how = rejudge(decision, about);
    if (how === 'BODY_WITHHELD') tally.decisionsNotJudged += 1;
    else tally.decisions += 1;
    if (how === 'WITH_NOTES') tally.decisionsWithNotes += 1;
    const place = { isDone: opening.status === DONE, isTop: state.profile.parentId === null };
    usage.follow(decision, judgementFor(decision, about), place, tally);
  }

  /** A vote that found the activity impossible ends it, and nothing is decided. */
  #requireEnded({ status, decisionDigest }: Opening): void {
    must(this.#votes.length > 1 && status === FAILED, 'it has no decision');
    must(decisionDigest === this.#decisionDigest, 'the decision does not match the log');
  }

  /** The changes of an executed activity. */
  #outcome({ status, resultDigest }: Opening, result: unknown, changed: Changed | undefined): Changed | undefined {
    const committed = changed === undefined ? result : { result: result ?? null, changed };
    must(digestOf(committed) === resultDigest, 'the result does not match the log');
    if (status === DONE) return changed ?? { changes: [] };
    must(result === undefined && changed === undefined, 'it has a result although it was not executed');
    return undefined;
  }

  #change(
    { changes, parameters }: Changed,
    result: unknown,
    { timeMs: atMs }: Opening,
    { state, tally, heads }: Place,
    decided: Judgement | undefined,
    by: string | undefined,
  ): void {
    const submitterId = decided?.votes[0]?.userId;
    if (this.#params !== undefined) must(parameters === undefined, 'parameters are given twice');
    const local = changes.filter((change): change is LocalChange => !('create' in change));
    const created = changes.filter((change) => 'create' in change);
    const { name } = this.#definition;
    const params = this.#params ?? redactedParameters(this.#version, parameters ?? {});
    const inheritedBy = decided && ((userId: string) => inheritedLimits(decided, userId));
    const done = { state, params, result, submitterId, by, atMs, changes: local, inheritedBy };
    requireDone(name, done);
    if (changes.length === 0) return;
    const rule = ruleOf(name);
    if (rule === undefined) throw new AuditError(`not modelled: ${this.#type}`);
    requireUnfrozen(state, local);
    explained(state, local, (change) => rule(change, done));
    for (const { create, changes: inside } of created)
      createdState(create, inside, { name, creatorId: state.id, params, result });
    const isQuorum = by === 'ROOT_QUORUM' || by === undefined;
    if (!isQuorum) requireNoted(name, local, state, this.#decision?.subject);
    state.apply(local);
    heads.wrote(local);
    tally.changes += local.length;
    tally.credentials += local.filter((each) => 'put' in each && (each.put === 'apiKey' || each.put === 'authenticator')).length;
  }
}
