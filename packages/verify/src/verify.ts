import { activities, isSignature } from '@countersign/contract';
import { commitmentLeaf, emptyChain, type Opening } from '@countersign/tlog';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { FollowedActivity } from './activity.ts';
import { AuditError, must } from './audit-error.ts';
import { currentParameters, knownType, readBody, redactedParameters, requireWithholdable } from './body.ts';
import { portableChecks, type SignatureChecks } from './checks.ts';
import {
  type Content,
  type EndLine,
  type HeaderLine,
  type LeafLine,
  type LocalChange,
  readHeader,
  readLine,
} from './format/lines.ts';
import type { Hasher } from './hasher.ts';
import { UsageHistory } from './judging/usage.ts';
import { asAuditError, readKeys, type TrustedKeys } from './log-keys.ts';
import { GrowingRoot } from './proof/growing-root.ts';
import type { Report } from './report.ts';
import { createdState, firstState } from './rules/creation.ts';
import type { State } from './state/state.ts';
import { emptyTally } from './tally.ts';
import { digestOf, digestOfText, utf8 } from './text.ts';

export interface VerifyOptions extends TrustedKeys {
  /** Faster checks than the portable ones. */
  readonly checks?: SignatureChecks;
  /** A faster SHA-256 than the portable one. */
  readonly createHasher?: () => Hasher;
  /** Told now and then how many lines were checked. */
  readonly onProgress?: (lines: number) => void;
}

/** Where a file does not hold: the line, and the activity if it is about one. */
export interface Failure {
  readonly line: number;
  readonly activityId?: string;
  readonly reason: string;
}

export type Verdict = { readonly ok: true; readonly report: Report } | { readonly ok: false; readonly failure: Failure };

const PROGRESS_LINES = 500;

/**
 * Checks an audit file, line by line without their line feeds, knowing nothing but the keys.
 * INVARIANT: memory grows with what the organization holds and with what waits for approvals, not with the length of the file, but for
 * 32 bytes of each fingerprint.
 */
export async function verifyAudit(lines: AsyncIterable<string> | Iterable<string>, options: VerifyOptions): Promise<Verdict> {
  let number = 0;
  let verification: Verification | undefined;
  try {
    const keys = readKeys(options);
    for await (const text of lines) {
      number += 1;
      if (verification === undefined) verification = new Verification(readHeader(text), keys, options);
      else readAsAuditError(verification, text);
      verification.count(text);
      if (number % PROGRESS_LINES === 0) options.onProgress?.(number);
    }
    if (verification === undefined) throw new AuditError('the file is empty');
    return { ok: true, report: verification.report() };
  } catch (error) {
    if (!(error instanceof AuditError)) throw error;
    const activityId = verification?.activityId;
    return { ok: false, failure: { line: number, ...(activityId !== undefined && { activityId }), reason: error.message } };
  }
}

/** A file from anywhere may break what parsers and schemas rely on. INVARIANT: content that cannot be checked fails. */
function readAsAuditError(verification: Verification, text: string): void {
  try {
    verification.read(text);
  } catch (error) {
    if (error instanceof AuditError || !(error instanceof Error)) throw error;
    throw new AuditError(`it cannot be verified: ${error.message}`, { cause: error });
  }
}

class Verification {
  /** The activity of the line that is being checked. */
  activityId: string | undefined;
  readonly #header: HeaderLine;
  readonly #keys: ReturnType<typeof readKeys>;
  readonly #checks: SignatureChecks;
  readonly #hasher: Hasher;
  readonly #root = new GrowingRoot();
  readonly #tally = emptyTally();
  readonly #usage = new UsageHistory();
  readonly #fingerprints = new Set<string>();
  /** Activities that wait for approvals. */
  readonly #open = new Map<string, FollowedActivity>();
  /** Activities that wait, and whose first leaf has no content. */
  readonly #bare = new Set<string>();
  /** Signatures that have content before the time that was asked for. They must continue within it. */
  readonly #early = new Set<string>();
  /** Whether a leaf without content may have changed what decisions rest on. */
  #isStateUnknown = false;
  #state: State | undefined;
  #createdBy: string | null = null;
  #chain = emptyChain;
  #lines = 0;
  #openingsOnly = 0;
  #times: { readonly first: number; last: number } | undefined;
  #tree: ReturnType<ReturnType<typeof readKeys>['open']> | undefined;

  constructor(header: HeaderLine, keys: ReturnType<typeof readKeys>, { checks, createHasher }: VerifyOptions) {
    this.#header = header;
    this.#keys = keys;
    this.#checks = checks ?? portableChecks;
    this.#hasher = (createHasher ?? (() => sha256.create()))();
  }

  read(text: string): void {
    this.activityId = undefined;
    must(this.#tree === undefined, 'there is data after the end');
    const line = readLine(text);
    if ('end' in line) this.#end(line.end);
    else this.#leaf(line.leaf);
  }

  /** Counts a line that was read. */
  count(text: string): void {
    this.#lines += 1;
    if (this.#tree === undefined) this.#hasher.update(utf8(`${text}\n`));
  }

  #leaf({ index, gap, salt, opening, content }: LeafLine): void {
    this.activityId = opening.activityId;
    this.#root.skip(
      index,
      gap.map((hex) => hexToBytes(hex)),
    );
    const leafHash = asAuditError(() => commitmentLeaf(opening, hexToBytes(salt)));
    this.#root.add(hexToBytes(leafHash));
    if (opening.organizationId !== this.#header.organizationId) {
      this.#origin(opening, content);
      return;
    }
    must(opening.sequence === this.#chain.sequence + 1, 'a leaf of the organization is missing before it');
    must(opening.previousLeaf === this.#chain.leafHash, 'it does not follow the leaf before it');
    this.#chain = { sequence: opening.sequence, leafHash };
    this.#times ??= { first: opening.timeMs, last: opening.timeMs };
    this.#times.last = opening.timeMs;
    if (this.#hasContent(opening, content)) this.#follow(opening, content as Content);
    else this.#pass(opening);
  }

  /** INVARIANT: which leaves have content follows from their times and types. So no content can be taken out of a file. */
  #hasContent({ timeMs, type, activityId }: Opening, content: Content | undefined): boolean {
    const { since, until } = this.#header;
    if (until !== null && timeMs > until) {
      must(content === undefined, 'it has content although it is after the requested time');
      return false;
    }
    const isEarly = since !== null && timeMs < since && isSignature(type);
    if (!isEarly) {
      must(content !== undefined, 'its content is missing');
      this.#early.delete(activityId);
      return true;
    }
    if (content !== undefined) this.#early.add(activityId);
    return content !== undefined;
  }

  /** A leaf without content. SECURITY: D127: its body counts as used, and what it may have changed is not known after it. */
  #pass({ activityId, status, fingerprint, type }: Opening): void {
    this.#openingsOnly += 1;
    this.#usage.hide();
    must(!this.#early.has(activityId), 'its content ends before the requested time');
    if (!this.#open.has(activityId) && !this.#bare.has(activityId)) this.#use(fingerprint);
    if (!isSignature(type)) this.#isStateUnknown = true;
    this.#open.delete(activityId);
    if (status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') this.#bare.add(activityId);
    else this.#bare.delete(activityId);
  }

  #use(fingerprint: string): void {
    must(!this.#fingerprints.has(fingerprint), 'its stamped body was already executed');
    this.#fingerprints.add(fingerprint);
  }

  #follow(opening: Opening, content: Content): void {
    const { activityId, fingerprint } = opening;
    must(!this.#bare.has(activityId), 'its first leaf has no content');
    must(!this.#isStateUnknown, 'it depends on an earlier activity whose content is not in the file: export with a later end');
    const known = this.#open.get(activityId);
    if (known === undefined) {
      this.#use(fingerprint);
      this.#tally.activities += 1;
      if (this.#state === undefined) {
        this.#state = this.#first(opening, content);
        return;
      }
    }
    const state = this.#state;
    if (state === undefined) throw new AuditError('the creation of the organization is not in the file');
    const activity = known ?? new FollowedActivity(opening);
    const goesOn = activity.follow(opening, content, { state, checks: this.#checks, tally: this.#tally, usage: this.#usage });
    if (goesOn) this.#open.set(activityId, activity);
    else this.#open.delete(activityId);
  }

  /** The creation of the first organization. It has no stamp. */
  #first({ sequence, type, fingerprint, status, resultDigest, decisionDigest }: Opening, content: Content): State {
    const { organizationId } = this.#header;
    const isFirst = sequence === 1 && fingerprint === `init:${organizationId}` && status === 'ACTIVITY_STATUS_COMPLETED';
    must(isFirst && type === activities.createOrganization.type, 'the creation of the organization is not in the file');
    const { result, changed, ...rest } = content;
    must(Object.keys(rest).length === 0 && decisionDigest === '', 'the creation of the first organization has no votes');
    if (changed === undefined)
      throw new AuditError('the organization was created before the service stored what is needed to verify it');
    must(digestOf({ result, changed }) === resultDigest, 'the creation does not match the log');
    return this.#begin(firstState(organizationId, localOnly(changed.changes)), changed.changes.length);
  }

  /** The leaf of another organization: its activity created this one. */
  #origin(opening: Opening, content: Content | undefined): void {
    const { organizationId } = this.#header;
    must(this.#chain.sequence === 0 && this.#state === undefined, 'it is of another organization');
    const { definition, version } = knownType(opening.type);
    const { createOrganization, createSubOrganization } = activities;
    const creates = [createOrganization.name, createSubOrganization.name].some((name) => name === definition.name);
    must(creates && opening.status === 'ACTIVITY_STATUS_COMPLETED', 'it did not create this organization');
    const { body, result, changed, ...rest } = content ?? {};
    must(Object.keys(rest).length === 0 && changed !== undefined, 'its created organization is missing');
    must(digestOf({ result, changed }) === opening.resultDigest, 'its created organization does not match the log');
    const params = this.#creationParameters(opening, body, changed.parameters);
    const [created, ...others] = changed.changes.filter((change) => 'create' in change);
    must(created?.create === organizationId && others.length === 0, 'it created another organization');
    const creation = { name: definition.name, creatorId: opening.organizationId, params: params(version), result };
    this.#state = this.#begin(createdState(organizationId, created.changes, creation), created.changes.length);
    this.#createdBy = opening.organizationId;
    this.#times = { first: opening.timeMs, last: opening.timeMs };
  }

  #creationParameters(opening: Opening, body: string | undefined, redacted: unknown) {
    const { definition } = knownType(opening.type);
    if (body === undefined) {
      requireWithholdable(definition);
      must(redacted !== undefined, 'its parameters are missing');
      this.#tally.bodiesWithheld += 1;
      return (version: Parameters<typeof currentParameters>[0]) => redactedParameters(version, redacted);
    }
    must(`sha256:${digestOfText(body)}` === opening.fingerprint, 'its fingerprint is not that of the stamped body');
    const request = readBody(body);
    must(request.type === opening.type, 'its type is not that of the stamped body');
    must(request.organizationId.toLowerCase() === opening.organizationId, 'it was stamped for another organization');
    return (version: Parameters<typeof currentParameters>[0]) => currentParameters(version, request.parameters);
  }

  #begin(state: State, changes: number): State {
    must(state.profile !== undefined, 'the record of the organization is missing');
    this.#tally.changes += changes;
    this.#tally.credentials += state.all('apiKey').size + state.all('authenticator').size;
    return state;
  }

  #end({ gap, checkpoint, lines, sha256: digest }: EndLine): void {
    must(lines === this.#lines, `the file has ${this.#lines} lines before the end, not ${lines}`);
    must(bytesToHex(this.#hasher.digest()) === digest, 'the file is damaged: its digest does not match');
    const tree = this.#keys.open(checkpoint);
    must(tree.size >= this.#root.size, 'the checkpoint is older than the leaves');
    this.#root.skip(
      tree.size,
      gap.map((hex) => hexToBytes(hex)),
    );
    must(bytesToHex(this.#root.root()) === bytesToHex(tree.root), 'the leaves do not lead to the signed checkpoint');
    must(this.#early.size === 0, 'a signature before the requested time has content and does not continue within it');
    this.#tree = tree;
  }

  report(): Report {
    if (this.#tree === undefined) throw new AuditError('the file ends before its end');
    if (this.#times === undefined || this.#state === undefined) throw new AuditError('the file has no leaf of the organization');
    const { origin, size, witnesses } = this.#tree;
    return {
      organizationId: this.#header.organizationId,
      log: { origin, size, witnesses },
      leaves: this.#chain.sequence,
      openingsOnly: this.#openingsOnly,
      firstTimeMs: this.#times.first,
      lastTimeMs: this.#times.last,
      createdBy: this.#createdBy,
      ...this.#tally,
    };
  }
}

function localOnly(changes: NonNullable<Content['changed']>['changes']): readonly LocalChange[] {
  return changes.map((change) => {
    if ('create' in change) throw new AuditError('the creation of the first organization created another one');
    return change;
  });
}
