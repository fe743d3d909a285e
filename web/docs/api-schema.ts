import { type Html, html } from '../../server/src/edge/oidc/html.ts';

/** As much of JSON Schema as the description of the API uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** `string, uuid`, `one of "warn", "release"`, `list of Slot`, `Money or null`. */
export function showType(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return html`<a href="/docs/api/types#${name}">${name}</a>`;
  }
  const either = schema.anyOf ?? schema.allOf;
  if (either) return joined(either.map(showType), schema.anyOf ? ' or ' : ' and ');
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum)
    return joined(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      ', ',
    );
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const shown = types.map((type) => {
    if (type === 'array') return schema.items ? html`list of ${showType(schema.items)}` : html`list`;
    if (type === 'string' && schema.format) return html`${schema.format}`;
    if (type === 'object' && schema.patternProperties) {
      const [values] = Object.values(schema.patternProperties);
      return values ? html`map of ${showType(values)}` : html`map`;
    }
    return html`${type}`;
  });
  return shown.length === 0 ? html`anything` : joined(shown, ' or ');
}
const joined = (parts: readonly Html[], between: string): Html =>
  html`${parts.map((part, index) => (index === 0 ? part : html`${between}${part}`))}`;

/** The limits of a value in words. */
export function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties, pattern, format } = schema;
  const range = (low: number | undefined, high: number | undefined, what: string): string[] => {
    if (low === undefined && high === undefined) return [];
    if (low === undefined) return [`at most ${count(high)}${what}`];
    if (high === undefined) return [`at least ${count(low)}${what}`];
    return [low === high ? `exactly ${count(low)}${what}` : `${count(low)} to ${count(high)}${what}`];
  };
  return [
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' entries'),
    ...range(undefined, maxProperties, ' entries'),
    ...(pattern !== undefined && format === undefined ? [`matches ${pattern}`] : []),
    ...(schema.default === undefined ? [] : [`${JSON.stringify(schema.default)} unless said otherwise`]),
  ];
}
const count = (value: number | undefined): string => (value ?? 0).toLocaleString('en-US');

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}
/** Fields with those inside of them, `idle` before `idle.minutes`; named types have a place of their own. */
function fieldsOf(schema: Schema, prefix = ''): Field[] {
  const own = Object.entries(schema.properties ?? {});
  return own.flatMap(([name, field]): Field[] => {
    const full = `${prefix}${name}`;
    const inner = field.items?.properties ? fieldsOf(field.items, `${full}[].`) : fieldsOf(field, `${full}.`);
    return [{ name: full, schema: field, isRequired: schema.required?.includes(name) ?? false }, ...inner];
  });
}

export const showFields = (schema: Schema): Html | undefined => {
  const fields = fieldsOf(schema);
  return fields.length === 0 ? undefined : showValues(fields);
};

/** A list of named values: fields of a body, or parameters. */
export function showValues(
  values: readonly {
    name: string;
    schema: Schema;
    isRequired: boolean;
    description?: string | undefined;
    where?: string;
  }[],
): Html {
  return html`<dl class="values">${values.map(({ name, schema, isRequired, description, where }) => {
    const limits = limitsOf(schema);
    const said = description ?? schema.description;
    return html`<div><dt><code>${name}</code> <span class="type">${showType(schema)}</span>${
      where === undefined ? undefined : html` <span class="where">${where}</span>`
    }${isRequired ? html` <span class="needed">required</span>` : undefined}</dt><dd>${said}${
      limits.length > 0 ? html` <span class="limits">${limits.join('; ')}</span>` : undefined
    }</dd></div>`;
  })}</dl>`;
}
