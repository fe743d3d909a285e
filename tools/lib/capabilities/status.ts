import { frontMatter } from '../document.ts';

/** What a document says of itself in its front matter: `status: shipped` and `capabilities: GAP-01, GAP-02`. */
export interface StatusHeader {
  readonly status: string | undefined;
  readonly capabilities: readonly string[];
}

export function statusHeader(text: string): StatusHeader {
  const { status, capabilities: ids = '' } = frontMatter(text);
  return {
    status,
    capabilities: ids
      .replace(/^\[|\]$/g, '')
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
  };
}

/** What is wrong with the claim of one document, judged by the rows that are shown. */
export function judgeStatus(path: string, text: string, isRowShown: (id: string) => boolean): string[] {
  const { status, capabilities } = statusHeader(text);
  const has = capabilities.filter(isRowShown);
  const lacks = capabilities.filter((id) => !isRowShown(id));
  switch (status) {
    case undefined:
      return [`${path} has no status; open it with "status: shipped", "partial", "design" or "deprecated"`];
    case 'shipped':
      if (capabilities.length === 0) return [`${path} says shipped and names no capability that shows it`];
      return lacks.map((id) => `${path} says shipped, but ${id} is not shown`);
    case 'partial':
      return has.length > 0 ? [] : [`${path} says partial, but none of its capabilities is shown`];
    case 'design':
      return has.map((id) => `${path} says design, but ${id} is shown; say partial or shipped`);
    case 'deprecated':
      return [];
    default:
      return [`${path} has the status "${status}"; there are shipped, partial, design and deprecated`];
  }
}
