/** A table of Markdown. A bar or a line break inside of a cell would end it, so both are written in another way. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(line).join('\n');
}
export const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
