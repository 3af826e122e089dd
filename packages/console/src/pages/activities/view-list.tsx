import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messageOf } from '../../data/errors.ts';
import { useSession } from '../../session/context.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { useToast } from '../../ui/toast.tsx';
import { words } from '../../words/index.ts';
import type { Filter } from './filter.ts';
import { forgetView, savedViews, saveView } from './saved-views.ts';

const texts = words.activities.views;

/** The saved views of this browser, and a form that saves the current filter. */
export function ViewList({ filter, onOpen }: { filter: Filter; onOpen(filter: Filter): void }) {
  const { organizationId } = useSession();
  const showToast = useToast();
  const views = useQuery({ queryKey: ['savedViews', organizationId], queryFn: () => savedViews(organizationId) });
  const [name, setName] = useState<string>();
  const change = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      showToast('bad', messageOf(error));
    }
    await views.refetch();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const given = (name ?? '').trim();
    setName(undefined);
    void change(() => saveView(organizationId, { name: given, filter }));
  };
  const isFiltered = Object.keys(filter).length > 0;
  const saved = views.data ?? [];
  if (saved.length === 0 && !isFiltered) return null;
  return (
    <div className="mb-4 grid gap-3">
      <ul aria-label={texts.title} className="flex flex-wrap items-center gap-2">
        {saved.map((view) => (
          <li key={view.name} className="inline-flex max-w-full items-center rounded-lg border border-line">
            <Button look="quiet" onClick={() => onOpen(view.filter)}>
              <Name text={view.name} />
            </Button>
            <IconButton
              icon="cross"
              label={texts.forget(view.name)}
              onClick={() => void change(() => forgetView(organizationId, view.name))}
            />
          </li>
        ))}
        {isFiltered && name === undefined && (
          <li>
            <Button look="quiet" icon="plus" onClick={() => setName('')}>
              {texts.save}
            </Button>
          </li>
        )}
      </ul>
      {isFiltered && name !== undefined && (
        <form className="grid items-end gap-3 sm:grid-cols-[16rem_auto_auto_1fr]" onSubmit={save}>
          <TextField label={texts.name} value={name} onChange={setName} autoFocus />
          <Button type="submit" look="solid" disabled={name.trim() === ''}>
            {words.common.save}
          </Button>
          <Button onClick={() => setName(undefined)}>{words.common.cancel}</Button>
        </form>
      )}
    </div>
  );
}
