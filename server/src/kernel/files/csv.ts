/** A line of RFC 4180. A cell that a spreadsheet would take for a formula is made plain text by a quote in front of it. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`;

/** A number may begin with a minus sign; no other text may. */
const number = /^-?[0-9]+(?:\.[0-9]+)?$/;

function cell(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) && !number.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
