type Asked = Pick<Request, 'url' | 'method' | 'mode'>;

/** The file below the folder of the console that a request asks for. Undefined for anything else: above all for the API. */
export function fileAsked({ url, method }: Asked, scope: string): string | undefined {
  const { origin, pathname } = new URL(url);
  const folder = new URL(scope);
  if (method !== 'GET' || origin !== folder.origin || !pathname.startsWith(folder.pathname)) return undefined;
  return pathname.slice(folder.pathname.length);
}

/** Whether somebody opens the page of the console itself. */
export function isNavigationHome(request: Asked, scope: string): boolean {
  const name = fileAsked(request, scope);
  return request.mode === 'navigate' && (name === '' || name === 'index.html');
}
