import { type Client, CountersignError, type ListedActivity, type OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import type { Opening } from '@countersign/tlog';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type LogKey, openLogProof } from './log-proof.ts';
import { isStampValid } from './verify-vote.ts';

/** An activity with the proof of its newest leaf, and the content of the leaf. */
export type Evidence = OutputOf<Queries['getActivityNames']>['proofs'][number];

/** Evidence by the id of its activity. */
export type Known = ReadonlyMap<string, Evidence>;

/** The result of an executed activity, and the records that it wrote. */
export interface Content {
  readonly result: Readonly<Record<string, unknown>>;
  readonly changes: readonly { readonly put?: string; readonly id?: string; readonly body?: Readonly<Record<string, unknown>> }[];
  readonly timeMs: number;
}

/** What a piece of evidence states to have been written. */
export interface Statement {
  readonly changes: Content['changes'];
  /** Whether the log includes it. */
  readonly isProven: boolean;
}

/** The content of a proven leaf. Undefined if the response is not what the leaf commits to. */
export async function provenContent(client: Client, opening: Opening, known: Known): Promise<Content | undefined> {
  const { activityId, sequence, resultDigest, timeMs } = opening;
  const given = known.get(activityId)?.content;
  const load = async () => (await client.listAuditRecords({ from: String(sequence), limit: '1' })).records[0]?.content;
  const { result = null, changed } = JSON.parse(given ?? (await load()) ?? '{}') as { result?: unknown; changed?: Content };
  // An activity that changes no record, such as a signature, has a result alone.
  const committed = changed === undefined ? result : { result, changed };
  if (sha256Hex(JSON.stringify(committed)) !== resultDigest) return undefined;
  return { result: (result ?? {}) as Content['result'], changes: changed?.changes ?? [], timeMs };
}

/** What a content states to have been written. */
export const changesIn = (content: string): Content['changes'] =>
  (JSON.parse(content) as { readonly changed?: Pick<Content, 'changes'> }).changed?.changes ?? [];

const sha256Hex = (text: string) => bytesToHex(sha256(utf8ToBytes(text)));

/** The leaf of an activity that was executed as it is shown. Undefined if the log does not prove it. */
export async function provenExecution(
  client: Client,
  loadKey: () => Promise<LogKey>,
  activity: ListedActivity,
  known: Known,
): Promise<Opening | undefined> {
  if (!isStamped(activity) && !isFirst(activity, client)) return undefined;
  const key = await loadKey();
  if (key.state === 'changed') return undefined;
  const proof = await openLogProof(client, key, activity.id, known.get(activity.id)).catch((error: unknown) => {
    if (error instanceof CountersignError && error.status === 404) return undefined;
    throw error;
  });
  if (!proof?.isIncluded) return undefined;
  const { opening } = proof;
  const isSame =
    // SECURITY: D851: organizations share a log, and a response also states the organization of an activity.
    opening.organizationId === client.organizationId &&
    opening.organizationId === activity.organizationId &&
    opening.activityId === activity.id &&
    opening.fingerprint === activity.fingerprint &&
    opening.type === activity.type &&
    opening.status === 'ACTIVITY_STATUS_COMPLETED';
  return isSame ? opening : undefined;
}

function isStamped({ votes: [first], fingerprint }: ListedActivity): boolean {
  return first !== undefined && isStampValid(first) && `sha256:${sha256Hex(first.message)}` === fingerprint;
}

/** Whether it is the creation of the first organization of the installation. It has no stamp, and its fingerprint is no digest. */
const isFirst = ({ type, fingerprint }: ListedActivity, { organizationId }: Client) =>
  type === 'ACTIVITY_TYPE_CREATE_ORGANIZATION_V2' && fingerprint === `init:${organizationId}`;
