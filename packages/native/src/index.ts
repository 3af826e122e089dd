export type { Addon, CheckAll, SystemSigner, VerifyMessage } from './addon.ts';
export { findConfine, type LoadedAddon, loadAddon, loadSystemSigner, NATIVE_VARIABLE } from './load.ts';
export { CachedTable, TableCache, type TableRules } from './table-cache.ts';
