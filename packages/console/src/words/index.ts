/**
 * All texts of the console. A translation is another module with these exports. It is a namespace and no object, so that the build puts
 * the texts of a page into the files of that page.
 */
export * as words from './table.ts';
