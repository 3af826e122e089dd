import { escapeInvisible } from '../review/escape-invisible.ts';

/**
 * Text that a user entered, with isolated text direction.
 * SECURITY: D211: escapes invisible characters.
 */
export function Name({ text }: { text: string }) {
  return <bdi>{escapeInvisible(text)}</bdi>;
}
