import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { frontMatter, withoutFrontMatter } from '../lib/document.ts';
import { byText, stableJson } from './json.ts';

/** The runbooks as data: the catalog for programs, and the pages that the api serves. */
export interface RunbookSource {
  readonly id: string;
  readonly title: string;
  readonly category: string;
  readonly severity: string;
  readonly owner: string;
  readonly signals: readonly string[];
  readonly summary: string;
  readonly page: string;
  readonly text: string;
}

/** The first sentence below a heading, on one line. */
const sentenceBelow = (text: string, heading: string): string => {
  const [, body = ''] = text.split(`## ${heading}\n`);
  const paragraph = (body.trim().split('\n\n')[0] ?? '').replaceAll(/\s+/g, ' ');
  return /^.*?[.](?= |$)/.exec(paragraph)?.[0] ?? paragraph;
};

export function readRunbook(id: string, page: string): RunbookSource {
  const { category = '', severity = '', owner = '', signals = '', incident } = frontMatter(page);
  const text = withoutFrontMatter(page).trimStart();
  return {
    id,
    title: /^# (.+)$/m.exec(text)?.[1] ?? '',
    ...{ category, severity, owner },
    signals: signals.split(/,\s*/).filter((signal) => signal !== ''),
    // A page without an alert names its kind of incident.
    summary: incident ?? sentenceBelow(text, 'What it means'),
    page: `/docs/runbooks/${id}`,
    text,
  };
}

export function readRunbooks(root: string): readonly RunbookSource[] {
  const folder = join(root, 'docs/runbooks');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort(byText)
    .map((name) => readRunbook(name.replace(/\.md$/, ''), readFileSync(join(folder, name), 'utf8')));
}

/** Which runbook each signal leads to, and what each runbook is about. */
export function emitRunbookCatalog(root: string): string {
  const runbooks = readRunbooks(root);
  return stableJson({
    runbooks: runbooks.map(({ text: _text, ...runbook }) => runbook),
    signals: Object.fromEntries(runbooks.flatMap(({ id, signals }) => signals.map((signal) => [signal, id]))),
  });
}

/** The pages, so that the api serves those of its own release and needs no files. */
export const emitRunbookPages = (root: string): string => `// Emitted from docs/runbooks by "npm run gen".
import type { RunbookPage } from '@gpuaas/contract';

export const catalog: readonly RunbookPage[] = ${JSON.stringify(readRunbooks(root), null, 2)};
`;
