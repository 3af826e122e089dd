/**
 * A page of a list. Lists are newest first, and cursors follow that order: `after` selects the items that follow the cursor, `before`
 * those directly before it. With both, the page holds items between the two, starting next to `after`.
 * A cursor is a position in the order of ids and need not be the id of an item. `limit` is 1 or more.
 */
export interface Page {
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
}
