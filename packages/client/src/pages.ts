/** Where a page begins, and how many items it may have. */
export interface PageRequest {
  readonly paginationOptions: { readonly limit: string; readonly after?: string };
}

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;

/** The most that a page may have. */
const LIMIT = '100';

/**
 * Every item of a list, page by page: `for await (const { id } of items(client.listActivities, 'activities', ({ id }) => id))`.
 * A list that takes more: `items((page: PageRequest) => client.listWalletAccounts({ walletId, ...page }), …)`.
 * `cursorOf` gives what the service goes on from: the id of an item.
 */
export async function* items<Data, Key extends keyof Data>(
  list: (page: PageRequest) => Promise<Data>,
  key: Key,
  cursorOf: (item: ItemOf<Data[Key]>) => string,
): AsyncGenerator<ItemOf<Data[Key]>> {
  let after: string | undefined;
  for (;;) {
    const data = await list({ paginationOptions: { limit: LIMIT, ...(after !== undefined && { after }) } });
    const page = data[key] as readonly ItemOf<Data[Key]>[];
    yield* page;
    const last = page.at(-1);
    // A page may be short because its items are large, so only an empty one is the end.
    if (last === undefined) return;
    after = cursorOf(last);
  }
}
