import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { forceLinting, linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, hoverTooltip, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { docOf, type Field, problemsOf, type Surroundings, suggestionsFor, wordsFor } from './checker.ts';

interface EditorOptions {
  readonly field: Field;
  readonly label: string;
  readonly text: string;
  around(): Surroundings;
  changed(text: string): void;
}

const policyLanguage = StreamLanguage.define({
  token(stream) {
    if (stream.match(/'(?:[^'\\]|\\.)*'?/)) return 'string';
    if (stream.match(/\d[\d_]*(?:\.\d+)?(?:\s+[A-Za-z]+)?/)) return 'number';
    if (stream.match(/&&|\|\||==|!=|<=|>=|[<>!+\-*/%]|\bin\b/)) return 'operator';
    if (stream.match(/\b(?:true|false)\b/)) return 'atom';
    if (stream.match(/[A-Za-z_]\w*(?=\()/)) return 'keyword';
    if (stream.match(/[A-Za-z_]\w*/)) return 'variableName';
    stream.next();
    return null;
  },
});

const highlight = HighlightStyle.define([
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--wait)' },
  { tag: tags.operator, color: 'var(--quiet)' },
  { tag: tags.atom, color: 'var(--wait)' },
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
]);

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '0.875rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { fontFamily: 'var(--mono)', padding: '0.625rem 0', caretColor: 'var(--ink)', minHeight: '3.2rem' },
  '.cm-line': { padding: '0 0.75rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground, ::selection': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: '8px',
    fontFamily: 'var(--sans)',
    maxWidth: '26rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.75', fontStyle: 'normal', marginLeft: '0.75rem' },
  '.cm-tooltip-hover, .cm-completionInfo': { padding: '0.5rem 0.75rem', fontSize: '0.8125rem' },
  '.cm-diagnostic': { fontFamily: 'var(--sans)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad-solid)',
    textUnderlineOffset: '3px',
  },
});

/** Creates an editor in a shadow root with constructed style sheets, which the Content-Security-Policy allows. */
export function makeEditor(root: ShadowRoot, options: EditorOptions): EditorView {
  const { field, label, text, around, changed } = options;
  const state = EditorState.create({
    doc: text,
    extensions: [
      history(),
      closeBrackets(),
      bracketMatching(),
      keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.lineWrapping,
      policyLanguage,
      syntaxHighlighting(highlight),
      theme,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      autocompletion({ override: [(context) => complete(context, field, around().controls)], icons: false }),
      linter(
        (view) =>
          problemsOf(field, view.state.doc.toString(), around()).map((problem) => ({ ...problem, severity: 'error' as const })),
        { delay: 250 },
      ),
      hoverTooltip((view, position) => hover(view, position, field)),
      EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
    ],
  });
  return new EditorView({ state, parent: root, root });
}

/** Sets the text of an editor if it differs. */
export function replaceText(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  if (old !== text) view.dispatch({ changes: { from: 0, to: old.length, insert: text } });
}

/** Checks the text of an editor again, after what surrounds it has changed. */
export function checkAgain(view: EditorView): void {
  forceLinting(view);
}

function complete(context: CompletionContext, field: Field, controls: readonly string[]): CompletionResult | null {
  const text = context.state.doc.toString();
  const literal = context.matchBefore(/[\w.]+\s*(?:==|!=|in\s*\[(?:\s*'\w*',)*)\s*'\w*/);
  if (literal) {
    const path = /^[\w.]+/.exec(literal.text)?.[0] ?? '';
    const from = literal.from + literal.text.lastIndexOf("'") + 1;
    return { from, options: wordsFor(field, text, path).map((label) => ({ label, type: 'constant' })), validFor: /^\w*$/ };
  }
  const path = context.matchBefore(/[A-Za-z_][\w.]*/);
  if (path === null && !context.explicit) return null;
  const found = suggestionsFor(field, text, path?.text ?? '', controls);
  const from = path === null ? context.pos : path.from + path.text.lastIndexOf('.') + 1;
  return {
    from,
    options: found.map(({ label, detail, info, kind, insert }) => ({
      label,
      detail,
      type: kind,
      ...(info !== '' && { info }),
      ...(insert !== undefined && { apply: insert }),
    })),
    validFor: /^\w*$/,
  };
}

function hover(view: EditorView, position: number, field: Field) {
  const { from, text } = view.state.doc.lineAt(position);
  const at = position - from;
  const before = /[\w.]*$/.exec(text.slice(0, at))?.[0] ?? '';
  const after = /^\w*/.exec(text.slice(at))?.[0] ?? '';
  const found = docOf(field, view.state.doc.toString(), before + after);
  if (found === undefined) return null;
  return {
    pos: position - before.length,
    end: position + after.length,
    above: true,
    create() {
      const dom = document.createElement('div');
      const title = dom.appendChild(document.createElement('code'));
      title.textContent = found.title;
      dom.appendChild(document.createElement('div')).textContent = found.doc;
      return { dom };
    },
  };
}
