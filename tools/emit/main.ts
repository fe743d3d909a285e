import { bringUpToDate, findStale } from './files.ts';
import { emitAll, outputs, root } from './outputs.ts';
import { bringSchemaUpToDate } from './schema-file.ts';

/**
 * `npm run gen` writes what the contract emits and what the migrations add up to; with `--check` it only says what of
 * the contract is stale, and fails if anything is. The schema takes a database to check: tools/laws/schema.test.ts.
 */
const isCheck = process.argv.includes('--check');
// First the schema: a page says which tables there are.
const fromMigrations = isCheck ? [] : await bringSchemaUpToDate(root);
const wanted = emitAll();
const folders = outputs.flatMap((output) => ('folder' in output ? [output.folder] : []));

if (isCheck) {
  const stale = findStale(root, wanted, folders);
  for (const { path, what } of stale) process.stderr.write(`${path}: ${what}\n`);
  if (stale.length > 0) {
    process.stderr.write('\nThese files do not follow from the contract. Run "npm run gen" and commit the result.\n');
    process.exitCode = 1;
  }
} else {
  const changed = [...fromMigrations, ...bringUpToDate(root, wanted, folders)];
  const verbs = { missing: 'added', differs: 'changed', 'left over': 'removed' } as const;
  for (const { path, what } of changed) process.stdout.write(`${verbs[what].padEnd(8)} ${path}\n`);
  process.stdout.write(
    `${wanted.size} files follow from the contract and two from the migrations, ${changed.length} changed.\n`,
  );
}
