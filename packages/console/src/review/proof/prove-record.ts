import type { Client, InputOf, ListedActivity } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import type { Opening } from '@countersign/tlog';
import { toMs } from '../../data/time.ts';
import type { Person } from '../person.ts';
import type { LogKey } from './log-proof.ts';
import {
  type Content,
  changesIn,
  type Evidence,
  type Known,
  provenContent,
  provenExecution,
  type Statement,
} from './prove-activity.ts';
import { provePerson, type Vote } from './prove-person.ts';
import { isStampValid } from './verify-vote.ts';

type ActivityType = NonNullable<InputOf<Queries['listActivities']>['filterByType']>[number];

const onWallets = [
  'ACTIVITY_TYPE_CREATE_WALLET',
  'ACTIVITY_TYPE_IMPORT_WALLET',
  'ACTIVITY_TYPE_EXPORT_WALLET',
] as const satisfies readonly ActivityType[];

/** The activities that write a kind of record. */
const writers = {
  contact: ['ACTIVITY_TYPE_CREATE_CONTACTS', 'ACTIVITY_TYPE_UPDATE_CONTACT'],
  token: ['ACTIVITY_TYPE_CREATE_TOKENS'],
  smartContractInterface: ['ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE'],
  wallet: [...onWallets, 'ACTIVITY_TYPE_UPDATE_WALLET', 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT'],
  walletAccount: [...onWallets, 'ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS', 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT'],
  privateKey: [
    'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
    'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS',
    'ACTIVITY_TYPE_IMPORT_PRIVATE_KEY',
    'ACTIVITY_TYPE_EXPORT_PRIVATE_KEY',
    'ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG',
    'ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG',
    'ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS',
    'ACTIVITY_TYPE_DISABLE_PRIVATE_KEY',
  ],
} as const satisfies Readonly<Record<string, readonly ActivityType[]>>;

export type { Evidence };

export type RecordKind = keyof typeof writers;

/** A record with a name, as a query returned it. */
export interface NamedRecord {
  readonly kind: RecordKind;
  readonly id: string;
  /** Time of its last change. */
  readonly updatedAt: { readonly seconds: string };
  /** The members to prove, as in the log. */
  readonly body: Readonly<Record<string, string | number>>;
}

/** When a record with this id (UUIDv7) was created. */
export const createdIn = (id: string): NamedRecord['updatedAt'] => ({
  seconds: String(Math.floor(Number.parseInt(id.replace('-', '').slice(0, 12), 16) / 1000) || 0),
});

/** Who wrote a record, and when. */
export interface RecordProof {
  readonly activityId: string;
  readonly userName: string;
  readonly atMs: number;
  /** Who requested it, if that was checked. */
  readonly writer?: Person;
}

/** The clocks of a record and of its activity are read in the same step. */
const TOLERANCE_SECONDS = 2;
const PAGE = 50;
/** Pages of activities to search. An activity that waited long for approvals is older than the record that it wrote. */
const MOST_PAGES = 3;

/** Proves records and executions with the log of the service. Each activity is verified once. */
export interface Prover {
  /**
   * Finds the activity that wrote a record as it is, and verifies it: the stamp of its requester, its leaf in the log, and that the leaf
   * commits to a record with these members. Undefined if there is no such activity.
   */
  record(record: NamedRecord): Promise<RecordProof | undefined>;
  /** The leaf of an activity that was executed as it is shown: its requester stamped the message, and the log includes it. */
  execution(activity: ListedActivity): Promise<Opening | undefined>;
  /** The result of an activity that was executed as it is shown. Undefined if the log does not prove it. */
  result(activity: ListedActivity): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** The person who stamped a vote, with the state of their name. Only evidence that was added counts. */
  person(vote: Vote): Promise<Person>;
  /** Keeps evidence that the service sent in advance. It is verified like any other when it is needed. */
  add(evidence: readonly Evidence[]): void;
}

/** SECURITY: D800: a name of a response that nothing in the log proves is not shown as a name. */
export function createProver(client: Client, loadKey: () => Promise<LogKey>): Prover {
  const known = new Map<string, Evidence>();
  const executions = memoized((activity: ListedActivity) => provenExecution(client, loadKey, activity, known), keyOf);
  const contents = memoized(async (activity: ListedActivity) => {
    const opening = await executions(activity);
    return opening === undefined ? undefined : provenContent(client, opening, known);
  }, keyOf);
  const statements = (id: string) => statementsAbout(known, contents, id);
  const person = (vote: Vote) => provePerson(vote, statements);
  const searches = memoized(
    async (record: NamedRecord) => (await among(known, contents, record)) ?? search(client, contents, record),
    (record) => JSON.stringify(record),
  );
  const result = async (activity: ListedActivity) => (await contents(activity))?.result;
  return {
    async record(record) {
      const found = await searches(record);
      if (found === undefined) return undefined;
      const { vote, ...proof } = found;
      // Not memoized: evidence about the person may be added later.
      return vote === undefined ? proof : { ...proof, writer: await person(vote) };
    },
    execution: executions,
    result,
    person,
    add(evidence) {
      for (const each of evidence) known.set(each.activity.id, each);
    },
  };
}

/** Everything of an activity that a proof depends on. */
const keyOf = ({ id, organizationId, type, fingerprint, votes }: ListedActivity) =>
  JSON.stringify([id, organizationId, type, fingerprint, votes[0]]);

/** Failed calls are repeated. */
function memoized<Given, Result>(run: (given: Given) => Promise<Result>, key: (given: Given) => string) {
  const known = new Map<string, Promise<Result>>();
  return (given: Given): Promise<Result> => {
    const name = key(given);
    const found = known.get(name) ?? run(given);
    known.set(name, found);
    found.catch(() => known.delete(name));
    return found;
  };
}

type Contents = (activity: ListedActivity) => Promise<Content | undefined>;

/** A proof with the vote of the requester. */
type Found = RecordProof & { readonly vote: Vote | undefined };

/** What the evidence states about an id. A request whose message is hidden states nothing unless the log proves it. */
async function statementsAbout(known: Known, contents: Contents, id: string): Promise<readonly Statement[]> {
  const about = [...known.values()].filter(({ content }) => content?.includes(id));
  const statements = await Promise.all(
    about.map(async ({ activity, content = '' }): Promise<Statement | undefined> => {
      const proven = await contents(activity);
      if (proven !== undefined) return { changes: proven.changes, isProven: true };
      return isUnreadable(activity) ? undefined : { changes: changesIn(content), isProven: false };
    }),
  );
  return statements.filter((each) => each !== undefined);
}

/** Whether this browser cannot verify a stamp that may be right: its message is hidden, or it is of a passkey of another domain or kind. */
function isUnreadable({ votes: [first] }: ListedActivity): boolean {
  if (first === undefined) return false;
  return first.message === '' || (first.scheme === 'SIGNATURE_SCHEME_TK_WEBAUTHN' && !isStampValid(first));
}

/** Searches the evidence that is known already, the newest activity first. */
async function among(known: Known, contents: Contents, record: NamedRecord): Promise<Found | undefined> {
  const newest = [...known.values()].sort((a, b) => (a.activity.id < b.activity.id ? 1 : -1));
  for (const { activity, content } of newest) {
    // Most of them are about other records.
    if (content?.includes(record.id) !== true) continue;
    const proof = await proofIn(activity, contents, record);
    if (proof !== undefined) return proof;
  }
  return undefined;
}

async function proofIn(activity: ListedActivity, contents: Contents, record: NamedRecord): Promise<Found | undefined> {
  const content = await contents(activity);
  if (content === undefined || !isWritten(content, record)) return undefined;
  const [first] = activity.votes;
  // Nobody stamps the creation of the first organization, so its vote proves nobody.
  const vote = activity.fingerprint.startsWith('init:') ? undefined : first;
  return { activityId: activity.id, userName: first?.user.userName ?? '', atMs: content.timeMs, vote };
}

async function search(client: Client, contents: Contents, record: NamedRecord): Promise<Found | undefined> {
  const changedAt = Number(record.updatedAt.seconds);
  let after = idAt((changedAt + TOLERANCE_SECONDS) * 1000);
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { activities } = await client.listActivities({
      filterByType: [...writers[record.kind]],
      filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
      paginationOptions: { limit: String(PAGE), after },
    });
    for (const activity of activities) {
      if (Math.abs(toMs(activity.updatedAt) / 1000 - changedAt) > TOLERANCE_SECONDS) continue;
      const proof = await proofIn(activity, contents, record);
      if (proof !== undefined) return proof;
    }
    const last = activities.at(-1);
    if (last === undefined || activities.length < PAGE) return undefined;
    after = last.id;
  }
  return undefined;
}

/** The greatest UUIDv7 of a time. Cursors are compared as ids, so that it need not exist. */
function idAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7fff-bfff-ffffffffffff`;
}

const isWritten = ({ changes }: Content, { kind, id, body }: NamedRecord) =>
  changes.some(
    (change) =>
      change.put === kind && change.id === id && Object.entries(body).every(([name, value]) => change.body?.[name] === value),
  );
