import { execFileSync } from 'node:child_process';
import { posix } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { isAppPage, judgeAppPage } from '../lib/capabilities/app-pages.ts';
import { anchorOf, frontMatter, withoutFrontMatter } from '../lib/document.ts';
import { isCanary, root, type Tree } from '../lib/tree.ts';
import { type Finding, type Law, lineAt } from './law.ts';

/** Laws about what we write for people. */

const documents = (tree: Tree): string[] => tree.paths.filter((path) => path.endsWith('.md') && !isCanary(path));
const withoutCode = (text: string): string =>
  text
    .replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ' '))
    .replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));

export const documentsHaveTitles: Law = {
  name: 'documents-have-titles',
  find: (tree) =>
    documents(tree)
      .filter((path) => !/^\s*# \S/.test(withoutFrontMatter(tree.text(path))))
      .map((path) => ({ path, line: 1, law: 'documents-have-titles', message: 'begin with "# " and a title' })),
};

/** The anchors that a page offers, as the usual renderers make them from headings. */
const anchorsOf = (text: string): Set<string> =>
  new Set([...withoutFrontMatter(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));

export const linksLeadSomewhere: Law = {
  name: 'links-lead-somewhere',
  find: (tree) => {
    const folders = new Set(tree.paths.flatMap((path) => parentsOf(path)));
    return documents(tree).flatMap((path) => {
      const text = tree.text(path);
      return [...withoutCode(text).matchAll(/\[[^\]]*\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].flatMap((match): Finding[] => {
        const target = match[1] ?? '';
        if (/^(?:https?:|mailto:)/.test(target)) return [];
        const [file = '', anchor] = target.split('#');
        const aim = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file)).replace(/\/$/, '');
        const report = (message: string): Finding[] => [
          { path, line: lineAt(text, match.index), law: 'links-lead-somewhere', message },
        ];
        if (!tree.has(aim) && !folders.has(aim)) return report(`${target} is not there`);
        if (anchor !== undefined && aim.endsWith('.md') && !anchorsOf(tree.text(aim)).has(anchor)) {
          return report(`${aim} has no heading #${anchor}`);
        }
        return [];
      });
    });
  },
};

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

interface AlertFile {
  readonly groups?: readonly {
    readonly rules?: readonly {
      readonly alert?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    }[];
  }[];
}

/**
 * Someone is woken at night: the alert names the page that says what to do, and no page waits for an alert in vain. A page without one
 * names its kind of incident.
 */
export const alertsHaveRunbooks: Law = {
  name: 'alerts-have-runbooks',
  find: (tree) => {
    const named = new Set<string>();
    const alerts = tree.paths.filter((path) => /^deploy\/alerts\/.*\.ya?ml$/.test(path));
    const findings = alerts.flatMap((path) => {
      const file = parseYaml(tree.text(path)) as AlertFile | null;
      const rules = (file?.groups ?? []).flatMap((group) => group.rules ?? []);
      return rules.flatMap(({ alert, annotations }): Finding[] => {
        if (alert === undefined) return [];
        const line = lineAt(tree.text(path), Math.max(0, tree.text(path).indexOf(`alert: ${alert}`)));
        const report = (message: string) => [{ path, line, law: 'alerts-have-runbooks', message }];
        const said = annotations?.['runbook'] ?? annotations?.['runbook_url'] ?? '';
        const page = /docs\/runbooks\/[a-z0-9-]+\.md/.exec(said)?.[0];
        if (page === undefined) return report(`${alert} names no docs/runbooks page`);
        named.add(page);
        return tree.has(page) ? [] : report(`${alert} names ${page}, which is not there`);
      });
    });
    const idle = tree.paths.filter(
      (path) =>
        /^docs\/runbooks\/.*\.md$/.test(path) &&
        !path.endsWith('/README.md') &&
        !named.has(path) &&
        !frontMatter(tree.text(path))['incident'],
    );
    return [
      ...findings,
      ...idle.map((path) => ({ path, line: 1, law: 'alerts-have-runbooks', message: 'no alert leads here' })),
    ];
  },
};

const rfd = /^docs\/rfd\/(?!0000-)(\d{4}-[a-z0-9-]+\.md)$/;
const rfdList = 'docs/rfd/0000-rfds.md';
const rfdHead = /^State: (discussion|accepted|superseded|rejected)\b[^\n]*? Date: \d{4}-\d{2}-\d{2}\./;

/** A decision is questioned later: when was it made, does it still hold, and what else was looked at. */
export const decisionsAreWhole: Law = {
  name: 'decisions-are-whole',
  find: (tree) =>
    tree.paths.flatMap((path): Finding[] => {
      const file = rfd.exec(path)?.[1];
      if (file === undefined) return [];
      const text = tree.text(path);
      const [, number = '', title = '', head = ''] = /^# RFD (\d+): (.+)\n\n([^\n]*)/.exec(text) ?? [];
      const state = rfdHead.exec(head)?.[1];
      const row = `| [${number}](${file}) | ${title} | ${state} |`;
      const isListed = tree.has(rfdList) && tree.text(rfdList).split('\n').includes(row);
      const missing = [
        ...(state ? [] : ['its first line below the title is not "State: accepted. Date: 2026-01-31."']),
        ...(state && !isListed ? [`${rfdList} has no line "${row}"`] : []),
        ...(/^## Alternatives\s+\S/m.test(text) ? [] : ['has no alternatives: a heading "## Alternatives" and a list']),
      ];
      return missing.map((message) => ({ path, line: 1, law: 'decisions-are-whole', message }));
    }),
};

/** The day of the newest commit; in a tree without git, today. */
export function newestDay(): string {
  try {
    return execFileSync('git', ['log', '-1', '--format=%cs'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return new Date().toISOString().slice(0, 10);
  }
}

/** Pages about apps once described things that did not exist. Their headers say what does, and since when that is known. */
export const appPagesAreVerified: Law = {
  name: 'app-pages-are-verified',
  find: (tree) =>
    tree.paths.filter(isAppPage).flatMap((path) =>
      judgeAppPage(tree.text(path), newestDay()).map((message) => ({
        ...{ path, line: 1, law: 'app-pages-are-verified', message },
      })),
    ),
};

const domainReadme = /^server\/src\/domains\/[^/]+\/README\.md$/;
const namedFile = /`((?:[a-z0-9-]+\/)*[a-z0-9.-]+\.ts|(?:[a-z0-9-]+\/)+)`/g;

/**
 * A README of a domain names files and folders as code: of this domain, or by their whole path. A link says in its words which file it leads to. All are there under
 * that name: a reader who looks for one finds it.
 */
export const namedFilesExist: Law = {
  name: 'named-files-exist',
  find: (tree) => {
    const folders = new Set(tree.paths.flatMap((path) => parentsOf(path)));
    const inReadmes = tree.paths
      .filter((path) => domainReadme.test(path))
      .flatMap((path) => {
        const text = tree.text(path);
        return [...text.matchAll(namedFile)].flatMap(({ index, 1: name = '' }): Finding[] => {
          const aim = name.replace(/\/$/, '');
          const isWithin = (each: string) => each.startsWith(`${posix.dirname(path)}/`) && each.endsWith(`/${aim}`);
          const isThere = tree.has(aim) || tree.has(`server/src/${aim}`) || [...tree.paths, ...folders].some(isWithin);
          return isThere
            ? []
            : [{ path, line: lineAt(text, index), law: 'named-files-exist', message: `${name} is not in this domain` }];
        });
      });
    const inLinks = documents(tree).flatMap((path) => {
      const text = tree.text(path);
      return [...withoutCode(text).matchAll(/\[([a-z0-9/.-]+\.ts)\]\(([^)\s#]+)\)/g)].flatMap((match): Finding[] => {
        const [, label = '', target = ''] = match;
        return `/${target}`.endsWith(`/${label}`)
          ? []
          : [
              {
                path,
                line: lineAt(text, match.index),
                law: 'named-files-exist',
                message: `"${label}" leads to ${target}`,
              },
            ];
      });
    });
    return [...inReadmes, ...inLinks];
  },
};
