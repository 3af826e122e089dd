import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Puts a style on a text, or leaves it as it is where styles would not be understood. */
export type Paint = (style: Style, text: string) => string;

/** Colours on a terminal only, and not where the person asked for none (https://no-color.org). */
export function paintFor(stream: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): Paint {
  const colours = stream.isTTY === true && !environment.NO_COLOR;
  return (style, text) => (colours ? styleText(style, text) : text);
}
