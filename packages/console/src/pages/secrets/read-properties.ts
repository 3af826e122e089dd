/** Properties, or the number of the first invalid line. */
export type Properties = { readonly properties: readonly { key: string; value: string }[] } | { readonly wrongLine: number };

/** Reads properties from lines such as `environment = production`. Empty lines are ignored. */
export function readProperties(text: string): Properties {
  const properties: { key: string; value: string }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, key, value] = /^\s*([^=]*[^=\s])\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) return { wrongLine: index + 1 };
    properties.push({ key, value });
  }
  return { properties };
}
