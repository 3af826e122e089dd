/** Start and maximum size of a page. */
export interface PageRequest {
  readonly paginationOptions: { readonly limit: string; readonly after?: string };
}

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;

/** Maximum page size. */
const LIMIT = '100';

/**
 * Every item of a list, page by page: `for await (const { id } of items(client.listActivities, 'activities', ({ id }) => id))`.
 * A list with parameters: `items((page: PageRequest) => client.listWalletAccounts({ walletId, ...page }), …)`.
 * `cursorOf` returns the cursor for the next page: the id of an item.
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
    if (last === undefined || page.length < Number(LIMIT)) return;
    after = cursorOf(last);
  }
}
