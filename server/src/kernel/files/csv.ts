/**
 * A line of RFC 4180 that is safe to open in a spreadsheet. A cell that would be taken for a formula is made plain text by a quote in
 * front of it. A spreadsheet may split at semicolons or tabs instead of commas, so what follows one of those inside a cell counts as
 * the beginning of a cell too, and every cell that holds a separator or a line break is quoted.
 */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`;

/** A sign of a formula where a cell begins: at the start, or after a separator or a line break; blanks and quotes may come before it. */
const formula = /(^|[;\t\r\n])(["\s\u00a0\ufeff]*)([=+\-@\uff1d\uff0b\uff0d\uff20])/g;
/** A number may begin with a minus sign; no other text may. */
const number = /^-?[0-9]+(?:\.[0-9]+)?$/;

function cell(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const harmless = number.test(text) ? text : text.replace(/^[\t\r]/, "'$&").replace(formula, "$1$2'$3");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
