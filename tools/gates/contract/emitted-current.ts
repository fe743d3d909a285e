import { findStale } from '../../emit/files.ts';
import { emitAll, outputs } from '../../emit/outputs.ts';
import { closed, type Verdict } from './verdict.ts';

/** Whether the committed files are those that the contract emits now. */
export const checkEmitted = (root: string): Promise<Verdict> =>
  closed('Emitted files follow from the contract', 'Run "npm run gen" and commit the result.', async () => {
    const folders = outputs.flatMap((output) => ('folder' in output ? [output.folder] : []));
    return findStale(root, emitAll(), folders).map(({ path, what }) => `${path}: ${what}`);
  });
