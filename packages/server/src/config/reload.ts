import { type Config, type Setting, type SettingName, settings } from './settings.ts';

/** Settings that changed: those that are used from now on, and those that need a restart. */
export interface Reloaded {
  readonly applied: readonly SettingName[];
  readonly needRestart: readonly SettingName[];
}

/** Settings that take effect without a restart. */
export const reloadable: ReadonlySet<string> = new Set(
  Object.entries<Setting>(settings)
    .filter(([, { reload = false }]) => reload)
    .map(([name]) => name),
);

/** Compares each configuration with the one in use, and applies what needs no restart. */
export function createReload(first: Config, apply: (config: Config) => void): (next: Config) => Reloaded {
  let used = first;
  return (next) => {
    const changed = (Object.keys(settings) as SettingName[]).filter((name) => !isSame(used[name], next[name]));
    const applied = changed.filter((name) => reloadable.has(name));
    used = { ...used, ...Object.fromEntries(applied.map((name) => [name, next[name]])) };
    apply(used);
    return { applied, needRestart: changed.filter((name) => !reloadable.has(name)) };
  };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
