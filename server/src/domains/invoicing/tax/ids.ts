import { stdnum } from 'stdnum';

/**
 * The tax id that businesses have in each country of the table of rates: the letters in front of it, and what `stdnum`, which knows
 * its form and its check digits, calls it. A new country is a new row. Whether an id is registered only the tax office knows.
 */
interface KnownId {
  readonly country: string;
  readonly prefix: string;
  readonly number: string;
}
const known = (country: string, number: string, prefix = country): KnownId => ({ country, prefix, number });

export const knownIds: readonly KnownId[] = [
  known('AT', 'uid'),
  known('BE', 'vat'),
  known('BG', 'vat'),
  known('HR', 'oib'),
  known('CY', 'vat'),
  known('CZ', 'dic'),
  known('DK', 'cvr'),
  known('EE', 'kmkr'),
  known('FI', 'alv'),
  known('FR', 'tva'),
  known('DE', 'vat'),
  known('GR', 'vat', 'EL'),
  known('HU', 'anum'),
  known('IE', 'vat'),
  known('IT', 'iva'),
  known('LV', 'pvn'),
  known('LT', 'pvm'),
  known('LU', 'tva'),
  known('MT', 'vat'),
  known('NL', 'btw'),
  known('PL', 'nip'),
  known('PT', 'nif'),
  known('RO', 'cif'),
  known('SK', 'dph'),
  known('SI', 'ddv'),
  known('ES', 'nif'),
  known('SE', 'vat'),
  known('GB', 'vat'),
  known('CH', 'vat', ''),
  known('NO', 'mva'),
];

function validatorOf({ country, number }: KnownId) {
  const validator = stdnum[country]?.[number];
  if (!validator) throw new Error(`no check is known for ${country} ${number}`);
  return validator;
}

/** What is wrong with a tax id of a country, for the person who typed it; undefined when nothing is, or when the country is not known. */
export function objectToTaxId(country: string, id: string): string | undefined {
  const row = knownIds.find((each) => each.country === country);
  if (!row) return undefined;
  const bare = id.toUpperCase().replaceAll(/[\s.-]/g, '');
  if (!bare.startsWith(row.prefix)) {
    return `A tax id of ${country} begins with ${row.prefix}. Write it as the tax office does.`;
  }
  const { isValid } = validatorOf(row).validate(bare.slice(row.prefix.length));
  return isValid ? undefined : `${id} is not a tax id of ${country}: its form or its check digits are wrong.`;
}
