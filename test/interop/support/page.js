const link = (path) => `\`${path.replace('/public/v1/', '')}\``;

/** docs/reference/interop.md: the result of each method of the client. */
export function renderPage({ packages, rows }) {
  const count = (outcome) => rows.filter((row) => row.outcome === outcome).length;
  return `# Methods of existing clients

<!-- Written by test/interop: every row was observed by calling the method. Do not edit it here. -->

What each method of the API client of \`@turnkey/sdk-server\` does against this server, at \`/compat/turnkey\`.
The packages are used as they are published: ${packages.map((name) => `\`${name}\``).join(', ')}.

${rows.length} methods: ${count('works')} work, ${count('not offered')} are answered with 501 \`NOT_OFFERED\` and the reason, ${count('missing')} are missing.
How to point a client here, and what differs: [from-turnkey.md](../guide/from-turnkey.md).

| Method | Operation | Outcome | |
|---|---|---|---|
${rows.map(({ method, path, outcome, note }) => `| \`${method}\` | ${link(path)} | ${outcome} | ${note.replaceAll('|', '\\|')} |`).join('\n')}
`;
}
