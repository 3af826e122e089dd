import type { EditorView } from '@codemirror/view';
import type { NamedTag } from '@countersign/policy';
import { useEffect, useId, useRef } from 'react';
import { useServiceQuery } from '../../../data/service-query.ts';
import { escapeInvisible } from '../../../review/escape-invisible.ts';
import { words } from '../../../words/index.ts';
import type { Draft } from '../draft.ts';
import { type Field, problemsOf, type Surroundings, tagsIn } from './checker.ts';
import { checkAgain, makeEditor, replaceText } from './make-editor.ts';

export interface ExpressionEditorProps {
  field: Field;
  effect: Draft['effect'];
  tags: readonly NamedTag[] | undefined;
  label: string;
  hint: string;
  value: string;
  onChange(text: string): void;
  onProblems(count: number): void;
  error?: string | undefined;
}

/** An editor for one policy expression, with the checker of the service. */
export default function ExpressionEditor(props: ExpressionEditorProps) {
  const { field, effect, tags, label, hint, value, onChange, onProblems, error } = props;
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  changed.current = onChange;
  const controls = useServiceQuery('listVelocityControls', {}).data?.velocityControls.map(({ identifier }) => identifier);
  const around: Surroundings = { effect, tags, controls: controls ?? [] };
  const known = useRef(around);
  known.current = around;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor lives as long as the page; the effect below updates its text
  useEffect(() => {
    const host = place.current as HTMLDivElement;
    const made = makeEditor(host.shadowRoot ?? host.attachShadow({ mode: 'open' }), {
      field,
      label,
      text: value,
      around: () => known.current,
      changed: (text) => changed.current(text),
    });
    view.current = made;
    return () => made.destroy();
  }, [field]);
  useEffect(() => {
    if (view.current) replaceText(view.current, value);
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor reads what surrounds it when it checks
  useEffect(() => {
    if (view.current) checkAgain(view.current);
  }, [effect, tags]);
  const problems = problemsOf(field, value, around);
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
      {tagsIn(value, tags ?? []).map(({ id: tagId, name }) => (
        <p key={tagId} className="text-sm break-words text-quiet">
          {words.policies.editor.tagIs(escapeInvisible(name), tagId)}
        </p>
      ))}
      <p className="text-sm text-quiet">{hint}</p>
    </div>
  );
}
