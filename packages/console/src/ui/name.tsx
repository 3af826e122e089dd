import { escapeInvisible } from '../review/escape-invisible.ts';

/**
 * A name or another text that somebody entered. Its direction is its own and turns nothing around it.
 * SECURITY: D211: characters that nobody sees are spelled out.
 */
export function Name({ text }: { text: string }) {
  return <bdi>{escapeInvisible(text)}</bdi>;
}
