import { formatHead } from './expected-head.ts';
import type { ProvenHead } from './proof/head-proof.ts';
import type { ProvenEntry } from './proof/root-proof.ts';

/** What a verified file proves, in numbers. */
export interface Report {
  readonly organizationId: string;
  readonly log: { readonly origin: string; readonly size: number; readonly witnesses: readonly string[] };
  /** The entry of the root log that the file leads to, if a root proof was given. */
  readonly root?: ProvenEntry;
  /** The organization's leaves in the file, without a gap from the first. */
  readonly leaves: number;
  /** The hash of the last of them. Empty if there are none. */
  readonly leafHash: string;
  /** The checkpoint that names the last leaf as the newest of the organization. Null if the file has no such proof. */
  readonly newest: ProvenHead | null;
  /** The number of the leaf that was expected and found. Null if none was expected. */
  readonly expectedLeaf: number | null;
  /** Leaves without content: signatures outside the time that was asked for. */
  readonly openingsOnly: number;
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
  /** The organization that created this one. Null for the first organization of an installation. */
  readonly createdBy: string | null;
  readonly activities: number;
  readonly stamps: number;
  /** Stamps that only a body could show which holds a secret. */
  readonly stampsNotShown: number;
  /** Stamps that the service made for callers of the JSON-RPC endpoint, with tokens and certificates. */
  readonly stampsByService: number;
  readonly decisions: number;
  /** Among them: judged with what the service noted about the request. */
  readonly decisionsWithNotes: number;
  /** Not judged again, because the parameters are withheld. */
  readonly decisionsNotJudged: number;
  /** What limits over time counted, added up again. */
  readonly countsChecked: number;
  /** Sums of limits that rest on activities whose content is not in the file, and are taken from the decisions. */
  readonly sumsTaken: number;
  readonly rejections: number;
  readonly judgedByParent: number;
  /** Among them: the log does not say who authorized them, because their leaves have the earlier format. */
  readonly claimedByParent: number;
  /** Votes that match the authorization in the log, with all of their bytes. */
  readonly authorizations: number;
  /** Votes whose MFA policies depend on parameters that are withheld. */
  readonly authorizationsNotChecked: number;
  /** Changes that the service made without a request. */
  readonly systemChanges: number;
  readonly bodiesWithheld: number;
  readonly credentials: number;
  readonly changes: number;
  readonly signatures: number;
}

const number = new Intl.NumberFormat('en-US');
const count = (value: number, one: string, many = `${one}s`) => `${number.format(value)} ${value === 1 ? one : many}`;
const time = (ms: number) => new Date(ms).toISOString();

/** What was proven, one sentence a line. */
export function describeReport(report: Report): readonly string[] {
  const { leaves, openingsOnly, createdBy, activities, stamps, decisions, changes, credentials, signatures } = report;
  const lines = [
    `Organization ${report.organizationId}: ${count(activities, 'activity', 'activities')}, ${count(stamps, 'stamp')}, ${count(decisions, 'decision')} repeated, ${count(signatures, 'signature')}.`,
    leaves === 0
      ? `The organization has no leaf of its own. It was created at ${time(report.firstTimeMs)}.`
      : `Leaves 1 to ${number.format(leaves)}, none missing between them, from ${time(report.firstTimeMs)} to ${time(report.lastTimeMs)}.`,
    ...newestSentences(report),
    ...signerSentences(report),
    createdBy === null
      ? 'It is the first organization of its installation: its first user and key were created without a stamp, and the log contains them.'
      : `It was created by an activity of organization ${createdBy}. The authorization of that activity is not part of this file.`,
    `Rebuilt: ${count(changes, 'change')} of users, credentials, policies and keys, each derived from stamped parameters; ${count(credentials, 'credential')} among them.`,
  ];
  const notes: readonly (readonly [number, string])[] = [
    [
      openingsOnly,
      `${count(openingsOnly, 'leaf', 'leaves')} outside the requested time: their position is proven, their content is not in the file.`,
    ],
    [
      report.decisionsWithNotes,
      `${count(report.decisionsWithNotes, 'decision')} of these also depend on information that the service stored about the request, which the log commits to.`,
    ],
    [
      report.countsChecked,
      `${count(report.countsChecked, 'count')} of spending limits added up: none is missing, and all sums match the decisions.`,
    ],
    [
      report.sumsTaken,
      `${count(report.sumsTaken, 'sum')} of spending limits taken from the decisions, which the log commits to: they may include activities that are not in the file.`,
    ],
    [
      report.authorizations,
      `${count(report.authorizations, 'vote')} with the credential, session and MFA policies that the log commits to.`,
    ],
    [
      report.authorizationsNotChecked,
      `${count(report.authorizationsNotChecked, 'vote')} not compared with the authorization in the log: MFA policies may have seen parameters that are omitted.`,
    ],
    [
      report.systemChanges,
      `${count(report.systemChanges, 'change')} by the service without a request: the log contains that they happened, the file does not contain what changed.`,
    ],
    [report.rejections, `${count(report.rejections, 'rejection')} by a user who could end the activity.`],
    [
      report.judgedByParent,
      `${count(report.judgedByParent, 'activity', 'activities')} authorized by the parent organization: bodies and changes are verified, stamps and decisions are not in this file.`,
    ],
    [
      report.claimedByParent,
      `${count(report.claimedByParent, 'activity', 'activities')} of the earlier format claim to be authorized by the parent; the log does not say by whom.`,
    ],
    [
      report.bodiesWithheld,
      `${count(report.bodiesWithheld, 'body', 'bodies')} omitted: they contain a secret, or belong to a denied request; their stamps are verified by their digests.`,
    ],
    [
      report.stampsByService,
      `${count(report.stampsByService, 'stamp')} made by the service for a caller with an RPC token or client certificate: the service authorized and logged these requests for their users; that their clients sent them is not proven.`,
    ],
    [report.stampsNotShown, `${count(report.stampsNotShown, 'stamp')} not verified: the scheme needs a body that is omitted.`],
    [
      report.decisionsNotJudged,
      `${count(report.decisionsNotJudged, 'decision')} not repeated: policies may have seen parameters that are omitted.`,
    ],
  ];
  return [...lines, ...notes.filter(([amount]) => amount > 0).map(([, sentence]) => sentence)];
}

/** Who signed what the leaves lead to. */
function signerSentences({ log, root }: Report): readonly string[] {
  const included = `Included: all of them lead to the checkpoint of ${log.origin} over ${count(log.size, 'leaf', 'leaves')}`;
  const { witnesses } = root ?? log;
  const seen =
    witnesses.length === 0
      ? `No witness was required: the holder of the ${root === undefined ? 'log key' : 'key of the root log'} could have shown others a different log.`
      : `Seen by ${count(witnesses.length, 'witness', 'witnesses')}: ${witnesses.join(', ')}.`;
  if (root === undefined) return [`${included}, signed with the trusted log key.`, seen];
  return [
    `${included}, signed with the key of shard ${root.shard} in the root log.`,
    `Root: that checkpoint is part of entry ${number.format(root.index)} of ${root.origin} over ${count(root.size, 'entry', 'entries')}, signed with the key that you gave.`,
    seen,
  ];
}

/** What is proven about leaves after the last one. */
function newestSentences({ newest, leaves, leafHash, expectedLeaf, log }: Report): readonly string[] {
  const last = leaves === 0 ? 'its creation' : `leaf ${number.format(leaves)}`;
  const sentences: string[] = [];
  if (newest !== null) {
    const { size, version, witnesses } = newest;
    sentences.push(
      `Newest: the checkpoint over ${count(size, 'leaf', 'leaves')} names ${last} as the newest of this organization (state version ${number.format(version)}).`,
    );
    if (log.witnesses.length > 0)
      sentences.push(
        witnesses.length === 0
          ? 'The log key alone signed that checkpoint. Witnesses do not check which leaf is the newest of an organization.'
          : `That checkpoint was cosigned by ${witnesses.join(', ')}. Witnesses do not check which leaf is the newest of an organization.`,
      );
  }
  if (expectedLeaf !== null)
    sentences.push(
      expectedLeaf === leaves
        ? 'Reaches the head that you expected.'
        : `Contains leaf ${number.format(expectedLeaf)}, which you expected, and later ones.`,
    );
  if (newest === null) sentences.push(`Not proven: whether leaves follow ${last}.`);
  if (leaves > 0) sentences.push(`Last leaf: ${formatHead({ sequence: leaves, leafHash })}`);
  return sentences;
}
