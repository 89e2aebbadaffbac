// The recipes of the query language as examples: headings with the query below each, and its parameters where it has some.

/** @returns {{title: string, cypher: string, params: object}[]} */
export function examplesOf(markdown) {
  return markdown
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const title = part.slice(0, part.indexOf('\n')).replace(/^\d+\.\s*/, '');
      const cypher = /```cypher\n([\s\S]*?)\n```/.exec(part)?.[1];
      if (!cypher) return [];
      const params = {};
      for (const [, name, json] of part.matchAll(/--param (\w+)=(\S+?)`/g)) params[name] = JSON.parse(json);
      return [{ title, cypher, params }];
    });
}
