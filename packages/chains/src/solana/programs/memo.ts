import { quoteText } from '../../shared/text.ts';
import { calls } from './effects.ts';
import type { ProgramSpec } from './instruction-spec.ts';

/** The Memo program, second and first version. The data is only UTF-8 text. */
export const memoProgram: ProgramSpec = {
  name: 'Memo',
  keys: ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'],
  instructions: [
    {
      name: 'addMemo',
      tag: [],
      args: { memo: (reader) => reader.text(reader.remaining) },
      moves: 'none',
      effects: (call) => [calls(call, `memo ${quoteText(call.text('memo') ?? '')}`)],
    },
  ],
};
