/** E-mail addresses are compared case-insensitively. */
export function canonicalEmail(email: string): string {
  return email.toLowerCase();
}
