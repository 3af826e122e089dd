/** E-mail addresses are compared without regard to case. */
export function canonicalEmail(email: string): string {
  return email.toLowerCase();
}
