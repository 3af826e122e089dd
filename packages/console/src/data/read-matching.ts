import type { InputOf, OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import type { ListOf } from './lists.ts';

/** Lists that the service searches. */
export type Name = 'listContacts' | 'listUsers' | 'listWallets' | 'listPrivateKeys';

interface Part<Item> {
  readonly items: readonly Item[];
  /** Where the next part begins. Undefined at the end of the list. */
  readonly next: string | undefined;
}

/** Reads items that match until there are enough or the whole list was searched. The service searches a part for each request. */
export async function readMatching<N extends Name, Item>(
  read: (input: InputOf<Queries[N]>) => Promise<OutputOf<Queries[N]>>,
  { items, idOf }: Pick<ListOf<N, Item>, 'items' | 'idOf'>,
  text: string,
  limit: number,
  from?: string,
): Promise<Part<Item>> {
  const found: Item[] = [];
  for (let after = from; ; ) {
    const left = limit - found.length;
    const paginationOptions = { limit: String(left), ...(after !== undefined && { after }) };
    const page = await read({ ...(text !== '' && { matching: text }), paginationOptions } as InputOf<Queries[N]>);
    const part = items(page);
    found.push(...part);
    const { next } = page as { readonly next?: string };
    const last = part.at(-1);
    if (last !== undefined && part.length >= left) return { items: found, next: idOf(last) };
    if (next === undefined) return { items: found, next: undefined };
    after = next;
  }
}
