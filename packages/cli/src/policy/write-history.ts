import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@countersign/client';
import type { PastRangeShape } from '@countersign/contract';
import { CliFault } from '../faults.ts';
import { jsonText } from '../terminal.ts';
import { toHistoryCases } from './history-cases.ts';
import { readPastRequests } from './past-requests.ts';

export interface WrittenHistory {
  readonly files: readonly string[];
  readonly cases: number;
  /** Activities that no case stands for. */
  readonly left: number;
}

/** Writes past activities as case files into a folder. Files that are there already are not touched. */
export async function writeHistory(
  client: Pick<Client, 'listPastRequests'>,
  folder: string,
  asked: { readonly activityIds?: readonly string[]; readonly range: PastRangeShape },
  onProgress: (read: number, total: number) => void,
): Promise<WrittenHistory> {
  const { requests, unknown } = await readPastRequests(client, asked, onProgress);
  const { files, left } = toHistoryCases(requests);
  if (files.length === 0)
    throw new CliFault(
      'None of these activities can be a case.',
      'Choose others with --activity, --since, --last, --type or --user.',
    );
  mkdirSync(folder, { recursive: true });
  const paths = files.map((_, index) => join(folder, `history-${index + 1}.cases.json`));
  const taken = paths.find((path) => existsSync(path));
  if (taken !== undefined) throw new CliFault(`${taken} exists already.`, 'Name another folder, or remove the file.');
  for (const [index, file] of files.entries()) writeFileSync(paths[index] as string, `${jsonText(file)}\n`, { flag: 'wx' });
  const cases = files.reduce((sum, file) => sum + file.cases.length, 0);
  return { files: paths, cases, left: left.length + unknown.reduce((sum, { count }) => sum + count, 0) };
}
