/**
 * A public address that webhooks may use by default and that is unreachable: the block belonged to the 6bone and is out of use
 * (RFC 3701).
 */
export const unroutedUrl = 'https://[3ffe::25]/activities';
