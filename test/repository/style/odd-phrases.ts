/** Patterns of phrases that comments in this field rarely use. Rewrite the sentence; a synonym is as hard to read. */
const phrases = [
  'whoever',
  'whatever',
  'somebody',
  'anybody',
  'nobody',
  'has the (?:last |next )?word',
  'be it',
  'at the most',
  'so (?:many|long|much|often|few)\\b',
  'for ever\\b',
  'of which',
  'in vain',
  'is none',
  'gives? way',
  'go(?:es)? on',
  'goes ahead',
  'under way',
  'what became of',
  'c[ao]me to nothing',
  '(?:is|are|was|were|be) told',
  'meanwhile',
  'in (?:its|their) place',
  'in the place of',
  'has (?:a |no )?say',
  'as far as',
  'of (?:its|our|their|his) own',
  'where (?:it|that|one|there|no|none|nothing|something|nobody) ',
  'and (?:nothing|no) (?:else|more|other)',
  'one behind the other',
  'besides?\\b',
  'by itself',
  'all the same',
  'either way',
  'a moment',
  'is over',
  '(?:^|[.:] )what (?:comes|came|is|was|a|an|the|it|they|has|had) ',
  'lets? (?:others|it|them|somebody) ',
  'holds? up',
  'kept (?:back|apart|away)',
  'carr(?:y|ies|ied) out',
  'at once',
  'dear(?:er)?\\b',
  'a look at',
  'is no \\w+ of',
];

const pattern = new RegExp(`\\b(?:${phrases.join('|')})`, 'gi');
const commentLine = /^\s*(?:\/\/|\/\*|\*(?!\/))/;

export interface CommentCount {
  readonly words: number;
  /** One entry for each odd phrase: the line number, the phrase and the line. */
  readonly phrases: readonly { readonly line: number; readonly phrase: string; readonly text: string }[];
}

/** Counts the words of the comment lines in a source text, and finds their odd phrases. */
export function readComments(source: string): CommentCount {
  const comments = source.split('\n').flatMap((text, index) => (commentLine.test(text) ? [{ line: index + 1, text }] : []));
  return {
    words: comments.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0),
    phrases: comments.flatMap(({ line, text }) =>
      (text.match(pattern) ?? []).map((phrase) => ({ line, phrase, text: text.trim() })),
    ),
  };
}
