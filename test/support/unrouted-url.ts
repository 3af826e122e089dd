/**
 * A public address that webhooks may use by default and that leads nowhere: nobody uses this block any more. It belonged to the
 * 6bone (RFC 3701).
 */
export const unroutedUrl = 'https://[3ffe::25]/activities';
