/**
 * An address that webhooks may go to by default and that nothing ever reaches: nobody has addresses of this block, which was the
 * 6bone's (RFC 3701).
 */
export const unroutedUrl = 'https://[3ffe::25]/activities';
