import { typeInWords } from '@countersign/client';
import { words } from '../words/index.ts';

/** Readable label of an activity type. By default derived from its name. */
export function typeLabel(type: string): string {
  const plain = typeInWords(type);
  return Object.hasOwn(words.activities.types, plain) ? (words.activities.types[plain] ?? plain) : plain;
}
