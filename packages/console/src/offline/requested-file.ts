type RequestInfo = Pick<Request, 'url' | 'method' | 'mode'>;

/** Console file of a request, relative to the console's folder. Undefined for other requests, such as API calls. */
export function requestedFile({ url, method }: RequestInfo, scope: string): string | undefined {
  const { origin, pathname } = new URL(url);
  const folder = new URL(scope);
  if (method !== 'GET' || origin !== folder.origin || !pathname.startsWith(folder.pathname)) return undefined;
  return pathname.slice(folder.pathname.length);
}

/** Whether the request is a navigation to the console page. */
export function isNavigationHome(request: RequestInfo, scope: string): boolean {
  const name = requestedFile(request, scope);
  return request.mode === 'navigate' && (name === '' || name === 'index.html');
}
