import { referenceProblem } from '@countersign/contract';
import { plainReference } from '../pages/sign/plain-reference.ts';
import { words } from '../words/index.ts';
import { TextField } from './field.tsx';
import { Name } from './name.tsx';

const texts = words.references;

/** The reference to submit, if any. */
export function referenceOption(typed: string): { readonly reference?: string } {
  const reference = plainReference(typed);
  return reference === '' ? {} : { reference };
}

/** Why a typed reference cannot be submitted. Undefined if it can be, or if there is none. */
export function referenceError(typed: string): string | undefined {
  const reference = plainReference(typed);
  const problem = reference === '' ? undefined : referenceProblem(reference);
  return problem && texts.wrong(problem);
}

export function ReferenceField({ value, onChange }: { value: string; onChange(value: string): void }) {
  return (
    <TextField label={texts.label} hint={texts.hint} optional value={value} onChange={onChange} error={referenceError(value)} />
  );
}

/**
 * A reference as a quotation.
 * SECURITY: D968: it stands alone, under the name of the requester, in a box that no character leaves. No sentence of the console contains it.
 */
export function QuotedReference({ reference, requester }: { reference: string; requester: string }) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sunken px-4 py-3">
      <figcaption className="text-sm text-quiet">
        <Name text={texts.ofRequester(requester)} />
      </figcaption>
      <blockquote className="mt-1 overflow-hidden break-words">
        <Name text={reference} />
      </blockquote>
    </figure>
  );
}
