const link = (path) => `\`${path.replace('/public/v1/', '')}\``;

/** For each language: how many examples there are, and how many need only methods that work. The same for the methods they show. */
function shares(rows, examples) {
  const works = new Set(rows.filter(({ outcome }) => outcome === 'works').map(({ method }) => method));
  return Object.entries(examples).map(([language, scripts]) => {
    const count = (some) => some.reduce((sum, [scriptCount]) => sum + scriptCount, 0);
    const methods = [...new Set(scripts.flatMap(([, , names]) => names))];
    const working = scripts.filter(([, , names]) => names.every((name) => works.has(name)));
    const others = scripts.filter((script) => !working.includes(script)).map(([, what]) => what);
    return {
      language,
      scripts: `${count(working)} of ${count(scripts)}`,
      methods: `${methods.filter((name) => works.has(name)).length} of ${methods.length}`,
      others: others.join('; '),
    };
  });
}

/** docs/reference/interop.md: the result of each method of the client. */
export function renderPage({ packages, rows, examples }) {
  const count = (outcome) => rows.filter((row) => row.outcome === outcome).length;
  return `# Methods of existing clients

<!-- Written by test/interop: every row was observed by calling the method. Do not edit it here. -->

What each method of the API client of \`@turnkey/sdk-server\` does against this server, at \`/compat/turnkey\`.
The packages are used as they are published: ${packages.map((name) => `\`${name}\``).join(', ')}.

${rows.length} methods: ${count('works')} work, ${count('not offered')} are answered with 501 \`NOT_OFFERED\` and the reason, ${count('missing')} are missing.
How to point a client here, and what differs: [from-turnkey.md](../guide/from-turnkey.md).

Published examples, by the methods that their file names tell. The methods were called; the examples were not run:

| Examples in | Need only methods that work | Methods that work | Not offered |
|---|---|---|---|
${shares(rows, examples)
  .map((each) => `| ${each.language} | ${each.scripts} | ${each.methods} | ${each.others} |`)
  .join('\n')}

| Method | Operation | Outcome | |
|---|---|---|---|
${rows.map(({ method, path, outcome, note }) => `| \`${method}\` | ${link(path)} | ${outcome} | ${note.replaceAll('|', '\\|')} |`).join('\n')}
`;
}
