import type { Client, ListedActivity } from '@countersign/client';
import { ask } from '../../data/ask.ts';

const PAGE = 100;
/** The latest activities that disabled a key: 2,000. A key of an older one has no mark, and the service still denies it. */
const MAX_PAGES = 20;

/** The keys that the latest completed activities disabled, over several pages. */
export async function disabledKeys(reader: Client, signal?: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { activities } = await ask(
      reader,
      'listActivities',
      {
        filterByType: ['ACTIVITY_TYPE_DISABLE_PRIVATE_KEY'],
        filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
        paginationOptions: { limit: String(PAGE), ...(after !== undefined && { after }) },
      },
      signal,
    );
    found.push(...activities.flatMap(keysOf));
    after = activities.at(-1)?.id;
    if (activities.length < PAGE) break;
  }
  return found;
}

const keysOf = ({ intent }: ListedActivity): readonly string[] =>
  Object.values(intent).flatMap((parameters) => (parameters as { privateKeyId?: string }).privateKeyId ?? []);
