import { useId } from 'react';
import { words } from '../../words/index.ts';
import { MOST_CHARACTERS } from './read-csv.ts';

const texts = words.send.batch;

/** A field for a file of payments. */
export function FileField({ disabled, onText }: { disabled: boolean; onText(text: string | undefined): void }) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {texts.file}
      </label>
      <input
        id={id}
        type="file"
        accept=".csv,text/csv,text/plain"
        aria-describedby={`${id}-hint`}
        className="field"
        disabled={disabled}
        onChange={async ({ target }) => {
          const [file] = target.files ?? [];
          // A file that is too long is not read. One more character than allowed is enough to refuse it.
          onText(file && (await file.slice(0, MOST_CHARACTERS * 4 + 4).text()));
        }}
      />
      <p id={`${id}-hint`} className="text-sm text-quiet">
        {texts.fileHint}
      </p>
    </div>
  );
}
