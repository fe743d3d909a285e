/** What is wrong with a field, as its sentence goes on: `name` ... `is empty`. */
export interface SchemaFault {
  readonly keyword: string;
  readonly message: string;
  readonly params: object;
}
const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};
const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

export function tellFault({ keyword, message, params }: SchemaFault): string {
  const given = params as {
    readonly limit?: number | bigint;
    readonly type?: string | readonly string[];
    readonly allowedValues?: readonly unknown[];
    readonly format?: string;
    readonly comparison?: string;
  };
  const limit = Number(given.limit);
  switch (keyword) {
    case 'minLength':
      return limit === 1 ? 'is empty' : `needs at least ${counted(limit, 'character')}`;
    case 'maxLength':
      return `has more than ${counted(limit, 'character')}`;
    case 'minItems':
      return limit === 1 ? 'is empty' : `needs at least ${counted(limit, 'entry')}`.replace('entrys', 'entries');
    case 'maxItems':
      return `has more than ${counted(limit, 'entry')}`.replace('entrys', 'entries');
    case 'uniqueItems':
      return 'names something twice';
    case 'minimum':
      return `must be ${limit} or more`;
    case 'maximum':
      return `must be ${limit} or less`;
    case 'pattern':
      return 'is not written as it has to be';
    case 'format':
      return given.format === 'uuid' ? 'is not an id' : `is not a ${String(given.format).replaceAll('-', ' ')}`;
    case 'type': {
      const types = [given.type ?? []].flat().map((type) => kinds[type] ?? type);
      return types.length === 0 ? message : `must be ${types.join(' or ')}`;
    }
    case 'enum':
      return given.allowedValues ? `must be one of: ${given.allowedValues.join(', ')}` : message;
    default:
      return message;
  }
}
