import { typeInWords } from '@countersign/client';
import { words } from '../words/index.ts';

/** What an activity does, in the words that people use. A type that has none gets those of its name. */
export function typeLabel(type: string): string {
  const plain = typeInWords(type);
  return Object.hasOwn(words.activities.types, plain) ? (words.activities.types[plain] ?? plain) : plain;
}
