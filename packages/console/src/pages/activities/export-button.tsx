import { useState } from 'react';
import { messageOf } from '../../data/errors.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/toast.tsx';
import { words } from '../../words/index.ts';
import { exportActivities, type Part } from './export.ts';
import type { SearchInput } from './filter.ts';

const texts = words.activities;

/** Exports what the list shows. A long history is exported in several files. Each one continues the last one. */
export function ExportButton({ input }: { input: SearchInput | undefined }) {
  const { reader } = useSession();
  const showToast = useToast();
  const [count, setCount] = useState<number>();
  const [last, setLast] = useState<{ readonly input: SearchInput; readonly part: Part }>();
  // The files of another filter are not continued.
  const rest = last !== undefined && last.input === input ? last.part : undefined;
  const run = async (asked: SearchInput) => {
    setCount(0);
    try {
      const part = await exportActivities(reader, asked, setCount, rest);
      setLast(part.next === undefined ? undefined : { input: asked, part });
      showToast('good', part.next === undefined ? texts.exported(part.count) : texts.exportedPart(part.count, part.number));
    } catch (error) {
      showToast('bad', messageOf(error));
    } finally {
      setCount(undefined);
    }
  };
  return (
    <Button
      busy={count !== undefined}
      disabled={input === undefined}
      onClick={() => {
        if (input !== undefined) void run(input);
      }}
    >
      {count !== undefined ? texts.exporting(count) : rest === undefined ? texts.exportCsv : texts.exportNext(rest.number + 1)}
    </Button>
  );
}
