type RequestInfo = Pick<Request, 'url' | 'method' | 'mode'>;

/** The file below the folder of the console that a request asks for. Undefined for anything else: above all for the API. */
export function requestedFile({ url, method }: RequestInfo, scope: string): string | undefined {
  const { origin, pathname } = new URL(url);
  const folder = new URL(scope);
  if (method !== 'GET' || origin !== folder.origin || !pathname.startsWith(folder.pathname)) return undefined;
  return pathname.slice(folder.pathname.length);
}

/** Whether somebody opens the page of the console itself. */
export function isNavigationHome(request: RequestInfo, scope: string): boolean {
  const name = requestedFile(request, scope);
  return request.mode === 'navigate' && (name === '' || name === 'index.html');
}
