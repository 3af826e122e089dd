import { useEffect, useState } from 'react';
import { preference, setPreference } from '../session/database.ts';
import { words } from '../words/index.ts';

const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Sets the theme of the page. `system` follows the device. */
function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Applies the saved theme before the first render. */
export async function restoreTheme(): Promise<void> {
  const chosen = await preference('theme').catch(() => undefined);
  if (chosen === 'light' || chosen === 'dark') apply(chosen);
}

export function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>('system');
  useEffect(() => {
    preference('theme').then(
      (chosen) => setTheme((chosen as Theme | undefined) ?? 'system'),
      () => undefined,
    );
  }, []);
  const choose = (next: Theme) => {
    setTheme(next);
    apply(next);
    void setPreference('theme', next);
  };
  return (
    <fieldset className="flex items-center gap-1 rounded-lg bg-sunken p-1">
      <legend className="sr-only">{words.shell.theme.label}</legend>
      {themes.map((each) => (
        <label
          key={each}
          className="flex-1 cursor-pointer rounded-md px-2 py-1 text-center text-sm text-quiet has-checked:bg-surface has-checked:text-ink has-checked:shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="theme"
            value={each}
            checked={theme === each}
            onChange={() => choose(each)}
            className="sr-only"
          />
          {words.shell.theme[each]}
        </label>
      ))}
    </fieldset>
  );
}
