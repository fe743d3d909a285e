/** What can be said about migration files by reading them, without a database. */

const parts = (line: string): [sum: string, name: string] => {
  const [sum = '', name = line] = line.split('  ');
  return [sum, name];
};

/** How the files differ from the list of those that may have been applied. Both have lines of `checksum name`. */
export function findEdited(listed: readonly string[], files: readonly string[]): string[] {
  const found = new Map(files.map((line) => parts(line).toReversed() as [name: string, sum: string]));
  const known = new Set(listed.map((line) => parts(line)[1]));
  const advice = 'Write a new migration instead (a file that no release has carried may give up its line in the list).';
  return [
    ...listed.flatMap((line) => {
      const [sum, name] = parts(line);
      if (!found.has(name)) return [`${name} is gone, and may have been applied somewhere. ${advice}`];
      return found.get(name) === sum ? [] : [`${name} was edited, and may have been applied somewhere. ${advice}`];
    }),
    ...[...found.keys()]
      .filter((name) => !known.has(name))
      .map((name) => `${name} is not on the list: run "npm run gen".`),
  ];
}

const ownTransaction =
  /^\s*(?:begin|start\s+transaction|commit|rollback|end|savepoint\s+\w+|vacuum\b[^;]*|[^;]*\bconcurrently\b[^;]*)\s*;/i;

/** Statements that would end the transaction around a file, or that refuse to be in one. */
export function findOwnTransactions(name: string, script: string): string[] {
  // Bodies of functions, comments and strings are blanked, line for line, so that only statements are left to read.
  const blank = (text: string) => text.replace(/[^\n]/g, ' ');
  const bare = script.replace(/\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|'(?:[^']|'')*'/g, blank);
  const found: string[] = [];
  let line = 1;
  for (const statement of bare.split(/(?<=;)/)) {
    const lead = statement.length - statement.trimStart().length;
    const at = line + statement.slice(0, lead).split('\n').length - 1;
    if (ownTransaction.test(statement)) found.push(`${name}:${at}: ${statement.trim()} does not go into a transaction`);
    line += statement.split('\n').length - 1;
  }
  return found;
}
