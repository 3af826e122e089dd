import type { EditorView } from '@codemirror/view';
import { useEffect, useId, useRef } from 'react';
import { useServiceQuery } from '../../../data/service-query.ts';
import type { Field } from './checker.ts';
import { problemsOf } from './checker.ts';
import { makeEditor, replaceText } from './make-editor.ts';

export interface ExpressionEditorProps {
  field: Field;
  label: string;
  hint: string;
  value: string;
  onChange(text: string): void;
  onProblems(count: number): void;
  error?: string | undefined;
}

/** An editor for one policy expression, with the checker of the service. */
export default function ExpressionEditor({ field, label, hint, value, onChange, onProblems, error }: ExpressionEditorProps) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  changed.current = onChange;
  const controls = useServiceQuery('listVelocityControls', {}).data?.velocityControls.map(({ identifier }) => identifier);
  const known = useRef<readonly string[]>([]);
  known.current = controls ?? [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor lives as long as the page; the effect below updates its text
  useEffect(() => {
    const host = place.current as HTMLDivElement;
    const made = makeEditor(host.shadowRoot ?? host.attachShadow({ mode: 'open' }), {
      field,
      label,
      text: value,
      controls: () => known.current,
      changed: (text) => changed.current(text),
    });
    view.current = made;
    return () => made.destroy();
  }, [field]);
  useEffect(() => {
    if (view.current) replaceText(view.current, value);
  }, [value]);
  const problems = problemsOf(field, value, controls ?? []);
  useEffect(() => onProblems(problems.length));
  return (
    <div className="grid gap-1">
      <span id={id} className="text-sm font-medium">
        {label}
      </span>
      <div
        ref={place}
        className="overflow-hidden rounded-lg border border-line-strong bg-surface focus-within:outline-2 focus-within:outline-accent"
      />
      {problems.slice(0, 3).map(({ from, message }) => (
        <p key={`${from} ${message}`} className="text-sm text-bad">
          {message}
        </p>
      ))}
      {error !== undefined && <p className="text-sm text-bad">{error}</p>}
      <p className="text-sm text-quiet">{hint}</p>
    </div>
  );
}
