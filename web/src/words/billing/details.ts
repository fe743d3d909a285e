const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });

/** `DE` as `Germany`. */
export const nameCountry = (code: string): string => {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
};

/** The form of the billing details, as it is typed. */
export interface DetailsDraft {
  readonly legal_name: string;
  readonly address: string;
  readonly postal_code: string;
  readonly city: string;
  readonly country: string;
  readonly tax_id: string;
  readonly customer_type: 'business' | 'consumer';
  readonly invoice_email: string;
}
const mostLines = 3;
export const linesOf = (address: string): readonly string[] =>
  address
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** What is wrong with what was typed; undefined when nothing is. */
export function objectToDetails({ address, country, tax_id }: DetailsDraft): string | undefined {
  const lines = linesOf(address).length;
  if (lines === 0) return 'Enter the street and number.';
  if (lines > mostLines) return `Write the address in at most ${mostLines} lines.`;
  if (!/^[A-Z]{2}$/.test(country.trim().toUpperCase())) return 'Write the country as two letters, for example DE.';
  if (tax_id.trim() !== '' && !/^[A-Z0-9][A-Z0-9.\- ]{1,38}[A-Z0-9]$/.test(tax_id.trim().toUpperCase())) {
    return 'Write the tax id as the tax office does, for example DE123456788.';
  }
  return undefined;
}

/** What is sent: empty fields are left out of the documents. */
export const detailsOf = (draft: DetailsDraft) => ({
  legal_name: draft.legal_name.trim(),
  address_lines: [...linesOf(draft.address)],
  postal_code: draft.postal_code.trim() || null,
  city: draft.city.trim(),
  country: draft.country.trim().toUpperCase(),
  tax_id: draft.tax_id.trim().toUpperCase() || null,
  customer_type: draft.customer_type,
  invoice_email: draft.invoice_email.trim() || null,
});
