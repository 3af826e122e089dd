/** A typed reference as it is submitted: without spaces around it, and in normal form. */
export const plainReference = (typed: string): string => typed.trim().replace(/\s+/gu, ' ').normalize('NFC');
