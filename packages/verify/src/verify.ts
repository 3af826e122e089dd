import { isSignature } from '@countersign/contract';
import { type ChainHead, commitmentLeaf, emptyChain, type Opening } from '@countersign/tlog';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { FollowedActivity } from './activity.ts';
import { AuditError, must } from './audit-error.ts';
import { portableChecks, type SignatureChecks } from './checks.ts';
import { createdOrganization, firstOrganization } from './creation.ts';
import { type Content, type EndLine, FORMAT, type HeaderLine, type LeafLine, readHeader, readLine } from './format/lines.ts';
import type { Hasher } from './hasher.ts';
import { HeadHistory } from './heads.ts';
import { SentHistory } from './judging/sent.ts';
import { UsageHistory } from './judging/usage.ts';
import { asAuditError, type LogKeys, readKeys, type SeenTree, type TrustedKeys } from './log-keys.ts';
import { GrowingRoot } from './proof/growing-root.ts';
import { type ProvenHead, verifyHead } from './proof/head-proof.ts';
import { type RootTrust, readRoot } from './proof/root-proof.ts';
import type { Report } from './report.ts';
import type { State } from './state/state.ts';
import { emptyTally } from './tally.ts';
import { utf8 } from './text.ts';

/** What a verification trusts, and how it works. */
export type VerifyOptions = VerifyChoice & (TrustedKeys | RootTrust);

export interface VerifyChoice {
  /** Faster checks than the portable ones. */
  readonly checks?: SignatureChecks;
  /** A faster SHA-256 than the portable one. */
  readonly createHasher?: () => Hasher;
  /** A leaf of the organization that must be in the file, for example the newest one that the reader has seen. */
  readonly expectedHead?: ChainHead;
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
/** The type of leaves about changes that the service made without a request. */
const SYSTEM_CHANGE = 'STATE_CHANGED';

/**
 * Checks an audit file, line by line without their line feeds, knowing nothing but the keys.
 * INVARIANT: memory grows with what the organization holds and with what waits for approvals, not with the length of the file, but for
 * 32 bytes of each fingerprint.
 */
export async function verifyAudit(lines: AsyncIterable<string> | Iterable<string>, options: VerifyOptions): Promise<Verdict> {
  let number = 0;
  let verification: Verification | undefined;
  try {
    const rooted = 'root' in options ? readRoot(options) : undefined;
    const keys = rooted ?? readKeys(options as TrustedKeys);
    for await (const text of lines) {
      number += 1;
      if (verification === undefined) {
        const header = readHeader(text);
        rooted?.requireShard(header.organizationId);
        verification = new Verification(header, keys, options);
      } else readAsAuditError(verification, text);
      verification.count(text);
      if (number % PROGRESS_LINES === 0) options.onProgress?.(number);
    }
    if (verification === undefined) throw new AuditError('the file is empty');
    return { ok: true, report: { ...verification.report(), ...(rooted && { root: rooted.entry }) } };
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
  readonly #keys: LogKeys;
  readonly #checks: SignatureChecks;
  readonly #hasher: Hasher;
  readonly #root = new GrowingRoot();
  readonly #tally = emptyTally();
  readonly #usage = new UsageHistory();
  readonly #sent = new SentHistory();
  readonly #heads = new HeadHistory();
  readonly #expected: ChainHead | undefined;
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
  #isExpectedSeen = false;
  #newest: ProvenHead | undefined;
  #tree: SeenTree | undefined;

  constructor(header: HeaderLine, keys: LogKeys, { checks, createHasher, expectedHead }: VerifyChoice) {
    this.#header = header;
    this.#keys = keys;
    this.#expected = expectedHead;
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
    this.#expect(leafHash);
    must(opening.version === undefined || this.#header.format === FORMAT, 'a file of the earlier format has no such leaf');
    this.#heads.follow(opening);
    this.#times ??= { first: opening.timeMs, last: opening.timeMs };
    this.#times.last = opening.timeMs;
    if (opening.type === SYSTEM_CHANGE) this.#changedBySystem(opening, content);
    else if (this.#hasContent(opening, content)) this.#follow(opening, content as Content);
    else this.#pass(opening);
  }

  /** SECURITY: D262: a leaf that the reader has from elsewhere is in the file, with this hash. */
  #expect(leafHash: string): void {
    const { sequence } = this.#chain;
    if (this.#expected?.sequence !== sequence) return;
    must(leafHash === this.#expected.leafHash, `leaf ${sequence} is not the one that you expect`);
    this.#isExpectedSeen = true;
  }

  /** A change by the service itself. Nobody stamps it, and the file does not contain it. */
  #changedBySystem(opening: Opening, content: Content | undefined): void {
    const isSystem = opening.version === 2 && opening.credentialKind === 'SERVICE' && opening.judgedBy === undefined;
    must(isSystem && opening.activityId.startsWith('system:') && content === undefined, 'it is not a change by the service');
    this.#tally.systemChanges += 1;
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
    const place = { state, checks: this.#checks, tally: this.#tally, usage: this.#usage, sent: this.#sent, heads: this.#heads };
    const goesOn = activity.follow(opening, content, place);
    if (goesOn) this.#open.set(activityId, activity);
    else this.#open.delete(activityId);
  }

  /** The creation of the first organization. It has no stamp. */
  #first(opening: Opening, content: Content): State {
    const { state, changes } = firstOrganization(this.#header.organizationId, opening, content);
    this.#heads.wrote(changes);
    return this.#begin(state, changes.length);
  }

  /** The leaf of another organization: its activity created this one. */
  #origin(opening: Opening, content: Content | undefined): void {
    const { organizationId } = this.#header;
    must(this.#chain.sequence === 0 && this.#state === undefined, 'it is of another organization');
    const { state, changes, isWithheld } = createdOrganization(organizationId, opening, content ?? {});
    if (isWithheld) this.#tally.bodiesWithheld += 1;
    this.#heads.begin(organizationId, opening, changes);
    this.#state = this.#begin(state, changes.length);
    this.#createdBy = opening.organizationId;
    this.#times = { first: opening.timeMs, last: opening.timeMs };
  }

  #begin(state: State, changes: number): State {
    must(state.profile !== undefined, 'the record of the organization is missing');
    this.#tally.changes += changes;
    this.#tally.credentials += state.all('apiKey').size + state.all('authenticator').size;
    return state;
  }

  #end({ gap, checkpoint, lines, sha256: digest, head }: EndLine): void {
    must(lines === this.#lines, `the file has ${this.#lines} lines before the end, not ${lines}`);
    must(bytesToHex(this.#hasher.digest()) === digest, 'the file is damaged: its digest does not match');
    const tree = this.#keys.open(checkpoint);
    const { size } = this.#root;
    must(tree.size >= size, 'the checkpoint is older than the leaves');
    this.#root.skip(
      tree.size,
      gap.map((hex) => hexToBytes(hex)),
    );
    must(bytesToHex(this.#root.root()) === bytesToHex(tree.root), 'the leaves do not lead to the signed checkpoint');
    must(this.#early.size === 0, 'a signature before the requested time has content and does not continue within it');
    const { organizationId, format } = this.#header;
    must(head === undefined || format === FORMAT, 'a file of the earlier format has no proof of the newest leaf');
    must(head !== undefined || this.#heads.last === undefined, 'the proof of the newest leaf is missing');
    if (head !== undefined)
      this.#newest = verifyHead(head, { organizationId, ...this.#chain, head: this.#heads.last, size }, this.#keys, tree);
    if (this.#expected !== undefined)
      must(this.#isExpectedSeen, `leaf ${this.#expected.sequence}, which you expect, is not in the file`);
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
      leafHash: this.#chain.leafHash,
      newest: this.#newest ?? null,
      expectedLeaf: this.#expected?.sequence ?? null,
      openingsOnly: this.#openingsOnly,
      firstTimeMs: this.#times.first,
      lastTimeMs: this.#times.last,
      createdBy: this.#createdBy,
      ...this.#tally,
    };
  }
}
