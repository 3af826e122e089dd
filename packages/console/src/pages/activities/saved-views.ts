import { preference, setPreference } from '../../session/database.ts';
import { type Filter, filterOf } from './filter.ts';

/** A filter of activities that a person named. */
export interface SavedView {
  readonly name: string;
  readonly filter: Filter;
}

/** The most views of one organization. The oldest are replaced. */
const MOST = 20;

const key = (organizationId: string) => `views ${organizationId}`;

/** The views of an organization in this browser, by name. Empty if it stores nothing. */
export async function savedViews(organizationId: string): Promise<readonly SavedView[]> {
  try {
    const stored = JSON.parse((await preference(key(organizationId))) ?? '[]') as readonly SavedView[];
    return stored.map(({ name, filter }) => ({ name: String(name), filter: filterOf(filter) }));
  } catch {
    return [];
  }
}

/** Saves a view. One of the same name is replaced. */
export async function saveView(organizationId: string, view: SavedView): Promise<void> {
  const others = (await savedViews(organizationId)).filter(({ name }) => name !== view.name);
  await setPreference(key(organizationId), JSON.stringify([...others, view].slice(-MOST)));
}

export async function forgetView(organizationId: string, name: string): Promise<void> {
  const others = (await savedViews(organizationId)).filter((view) => view.name !== name);
  await setPreference(key(organizationId), JSON.stringify(others));
}
