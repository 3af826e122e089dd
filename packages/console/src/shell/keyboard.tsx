import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { words } from '../words/index.ts';
import { listedPages } from './pages.ts';
import { Palette } from './palette.tsx';

/** Timeout of the second key after `g`. */
const CHORD_MS = 1200;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.closest('[role=dialog]') !== null);

/** Runs a function on a key press outside of fields and dialogs. */
export function useKey(key: string, run: (() => void) | undefined): void {
  useEffect(() => {
    if (run === undefined) return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [key, run]);
}

/** Global shortcuts: `g` and a letter, `?`, `/`, and the palette. */
export function Keyboard({ paletteOpen, setPaletteOpen }: { paletteOpen: boolean; setPaletteOpen(open: boolean): void }) {
  const navigate = useNavigate();
  const [helpOpen, setHelpOpen] = useState(false);
  useEffect(() => {
    let chordUntil = 0;
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setPaletteOpen(true);
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') setHelpOpen(true);
      if (event.key === 'z') [...document.querySelectorAll<HTMLButtonElement>('[data-undo]')].at(-1)?.click();
      if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('[data-search]');
        if (search) event.preventDefault();
        search?.focus();
      }
      const page = Date.now() < chordUntil ? listedPages.find(({ key }) => key === event.key) : undefined;
      chordUntil = event.key === 'g' ? Date.now() + CHORD_MS : 0;
      if (page) void navigate({ to: page.path });
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate, setPaletteOpen]);
  return (
    <>
      <Palette open={paletteOpen} onOpenChange={setPaletteOpen} showKeys={() => setHelpOpen(true)} />
      <Dialog open={helpOpen} onOpenChange={setHelpOpen} title={words.shell.keys.title}>
        <KeyList />
      </Dialog>
    </>
  );
}

function KeyList() {
  const { keys } = words.shell;
  const rows: readonly (readonly [readonly string[], string])[] = [
    [['?'], keys.help],
    [['Ctrl', 'K'], keys.palette],
    [['/'], keys.search],
    [['j'], keys.next],
    [['k'], keys.previous],
    [['a'], keys.approve],
    [['r'], keys.reject],
    [['z'], keys.undo],
    ...listedPages.flatMap(({ key, title }) => (key === undefined ? [] : [[['g', key], keys.goTo(title)] as const])),
  ];
  return (
    <table className="w-full">
      <tbody>
        {rows.map(([pressed, what]) => (
          <tr key={what} className="border-t border-line first:border-0">
            <td className="py-1.5">{what}</td>
            <td className="py-1.5 text-end whitespace-nowrap">
              {pressed.map((each) => (
                <kbd
                  key={each}
                  className="ms-1 inline-block min-w-6 rounded-md border border-line-strong bg-sunken px-1.5 text-center font-mono text-sm"
                >
                  {each}
                </kbd>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
