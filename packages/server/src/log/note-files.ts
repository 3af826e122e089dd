import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { renameAside } from '../store/high-water-mark.ts';
import { sha256 } from '../vault/integrity/keyed-hash.ts';

/** A commit, by the log entry that was queued with it. */
export interface LoggedCommit {
  readonly organizationId: string;
  readonly activityId: string;
  readonly revision: number;
}

/** Processes of a data directory that can record their commits. */
export const SLOTS = 64;

const CHECK_BYTES = 8;
const CHECK_CHARACTERS = 2 * CHECK_BYTES;

/** A slot has two files and a lock. */
const FILE = /^[0-9]{2}\.[ab]$/;

/** The path of a slot, without the endings of its files. */
export const slotPath = (directory: string, slot: number) => join(directory, String(slot).padStart(2, '0'));

/** The note about a batch: a checksum, then revision, organization and activity of each commit, separated by spaces. */
export function noteLine(commits: readonly LoggedCommit[]): string {
  const text = commits.map(({ revision, organizationId, activityId }) => `${revision} ${organizationId} ${activityId}`).join(' ');
  return `${checkOf(text)} ${text}\n`;
}

/** The commits in a file. Lines that are damaged or half written are skipped. Empty if there is no file. */
async function readNotes(path: string): Promise<readonly LoggedCommit[]> {
  return (await readIfPresent(path)).split('\n').flatMap(readLine);
}

function readLine(line: string): readonly LoggedCommit[] {
  const text = line.slice(CHECK_CHARACTERS + 1);
  if (text === '' || line !== `${checkOf(text)} ${text}`) return [];
  const words = text.split(' ');
  return Array.from({ length: words.length / 3 }, (_, index) => {
    const [revision, organizationId = '', activityId = ''] = words.slice(3 * index, 3 * index + 3);
    return { organizationId, activityId, revision: Number(revision) };
  });
}

/** Slots of the file `last-commits` of earlier releases, which had the newest commit of each process. */
const EARLIER_BYTES = 256;

async function readEarlier(path: string): Promise<readonly LoggedCommit[]> {
  const text = await readIfPresent(path);
  const slots = Array.from({ length: Math.ceil(text.length / EARLIER_BYTES) }, (_, index) =>
    text.slice(index * EARLIER_BYTES, (index + 1) * EARLIER_BYTES),
  );
  return slots.flatMap((slot) => (slot.length === EARLIER_BYTES ? readLine(slot.trimEnd()) : []));
}

/** The commits that processes recorded in a data directory. Each file keeps its own. */
export async function notedCommits(config: Config): Promise<readonly LoggedCommit[]> {
  const directory = paths.commits(config);
  const files = (await filesIn(directory)).filter((name) => FILE.test(name)).sort();
  const notes = await Promise.all(files.map((name) => readNotes(join(directory, name))));
  return [...notes.flat(), ...(await readEarlier(paths.lastCommits(config)))];
}

/** Renames the notes, to preserve them as evidence. No process may be using them. */
export async function setNotesAside(config: Config, nowMs: number): Promise<void> {
  if ((await notedCommits(config)).length === 0) return;
  for (const path of [paths.commits(config), paths.lastCommits(config)]) await renameAside(path, nowMs);
}

function filesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

function readIfPresent(path: string): Promise<string> {
  return readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

function checkOf(text: string): string {
  return sha256(Buffer.from(text, 'latin1')).toString('hex', 0, CHECK_BYTES);
}
