import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { useSessionState } from '../session/context.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Name } from '../ui/name.tsx';
import { words } from '../words/index.ts';
import { listedPages } from './pages.ts';
import { type Command, useFound } from './use-found.ts';

/** Command palette for pages, actions, and what the organization has. */
export function Palette({
  open,
  onOpenChange,
  showKeys,
}: {
  open: boolean;
  onOpenChange(open: boolean): void;
  showKeys(): void;
}) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={words.shell.palette.title}>
      <PaletteBody close={() => onOpenChange(false)} showKeys={showKeys} />
    </Dialog>
  );
}

function PaletteBody({ close, showKeys }: { close(): void; showKeys(): void }) {
  const { palette, keys, signOut } = words.shell;
  const navigate = useNavigate();
  const { end } = useSessionState();
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const commands = useMemo<readonly Command[]>(
    () => [
      ...listedPages.map(({ path, title, icon }) => ({ key: path, label: title, icon, run: () => void navigate({ to: path }) })),
      { key: 'keys', label: keys.open, icon: 'keyboard', run: showKeys },
      { key: 'out', label: signOut, icon: 'out', run: () => void end() },
    ],
    [navigate, showKeys, end, keys.open, signOut],
  );
  const service = useFound(text);
  const found = [...commands.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase())), ...service.found];
  const chosen = Math.min(active, found.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    close();
    command.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((chosen + step + found.length) % Math.max(found.length, 1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(found[chosen]);
    }
  };
  return (
    <div>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${chosen}`}
        aria-label={palette.title}
        autoComplete="off"
        placeholder={palette.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={press}
        className="field"
      />
      <div id={`${id}-list`} role="listbox" aria-label={palette.title} className="mt-2 max-h-80 overflow-y-auto">
        {found.map((command, index) => (
          <div
            key={command.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onPointerMove={() => setActive(index)}
            onClick={() => run(command)}
            onKeyDown={press}
            className="flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 aria-selected:bg-accent-soft aria-selected:text-accent"
          >
            <Icon name={command.icon} size={18} />
            <span className="min-w-0 flex-1 truncate">
              <Name text={command.label} />
            </span>
            {command.what !== undefined && <span className="text-sm text-quiet">{command.what}</span>}
          </div>
        ))}
        {found.length === 0 && (
          <p className="px-3 py-6 text-center text-quiet">{service.isSearching ? words.common.loading : palette.empty}</p>
        )}
      </div>
      <p className="mt-2 text-sm text-quiet">{palette.hint}</p>
    </div>
  );
}
