import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Styles a text, or returns it unchanged where styles are not supported. */
export type Paint = (style: Style, text: string) => string;

/** For files. */
export const plain: Paint = (_style, text) => text;

/** Colours only on a terminal, and only without NO_COLOR (https://no-color.org). */
export function paintFor(stream: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): Paint {
  const colours = stream.isTTY === true && !environment.NO_COLOR;
  return (style, text) => (colours ? styleText(style, text) : text);
}
