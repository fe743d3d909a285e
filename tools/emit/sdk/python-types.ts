import type { JsonObject } from '../json.ts';

/**
 * JSON Schemas as Python types. Python has no type for an object that is written where it is used, so each one inside
 * another gets a name of its own, made from where it stands: `AllocationPlanDecisionChosen`.
 */
export function makePythonTypes(space: string) {
  const named: string[] = [];

  const typeOf = (schema: JsonObject, hint: string): string => {
    if (typeof schema['$ref'] === 'string') return `${space}${schema['$ref'].split('/').at(-1)}`;
    if (Array.isArray(schema['enum'])) return `Literal[${schema['enum'].map(literal).join(', ')}]`;
    if (schema['const'] !== undefined) return `Literal[${literal(schema['const'])}]`;
    for (const join of ['anyOf', 'oneOf']) {
      const those = schema[join];
      if (!Array.isArray(those)) continue;
      const types = those.map((each, index) => typeOf(each as JsonObject, `${hint}${index === 0 ? '' : index + 1}`));
      return [...new Set(types)].join(' | ');
    }
    const { type } = schema;
    if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each as string }, hint)).join(' | ');
    switch (type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return `Sequence[${typeOf((schema['items'] ?? {}) as JsonObject, `${hint}Item`)}]`;
      case 'object':
        return objectOf(schema, hint);
      default:
        return 'Any';
    }
  };

  const objectOf = (schema: JsonObject, hint: string): string => {
    if (Object.keys((schema['properties'] ?? {}) as object).length === 0) {
      const others = Object.values((schema['patternProperties'] ?? {}) as Record<string, JsonObject>)[0];
      const rest = schema['additionalProperties'];
      const value = others ?? (typeof rest === 'object' && rest !== null ? (rest as JsonObject) : undefined);
      return `Mapping[str, ${value ? typeOf(value, `${hint}Value`) : 'Any'}]`;
    }
    define(schema, hint);
    return `${space}${hint}`;
  };

  /** Inner objects are defined before what holds them, so that a reader meets them in that order. */
  const define = (schema: JsonObject, name: string): void => {
    const required = new Set((schema['required'] ?? []) as readonly string[]);
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>);
    // A class cannot have a field with a name that Python keeps for itself, such as "from", or with a dash; a call can.
    if (properties.some(([field]) => keywords.has(field) || !isPythonWord(field))) {
      const entries = properties.map(([field, each]) => {
        const is = quoteLater(typeOf(each, `${name}${pascal(field)}`));
        return `    ${JSON.stringify(field)}: ${required.has(field) ? is : `NotRequired[${is}]`},\n`;
      });
      named.push(`${name} = TypedDict("${name}", {\n${entries.join('')}})\n`);
      return;
    }
    const members = properties.map(([field, each]) => {
      const is = typeOf(each, `${name}${pascal(field)}`);
      const told = typeof each['description'] === 'string' ? `\n    ${docstring(each['description'])}` : '';
      return `    ${field}: ${required.has(field) ? is : `NotRequired[${is}]`}${told}\n`;
    });
    const doc = typeof schema['description'] === 'string' ? `    ${docstring(schema['description'])}\n\n` : '';
    named.push(`class ${name}(TypedDict):\n${doc}${members.join('')}`);
  };

  /** A schema of the document under its own name. */
  const declare = (schema: JsonObject, name: string): void => {
    if (schema['type'] === 'object' && Object.keys((schema['properties'] ?? {}) as object).length > 0) {
      define(schema, name);
    } else {
      named.push(`${name}: TypeAlias = ${quoteLater(typeOf(schema, name))}\n`);
    }
  };
  return { typeOf, declare, named };
}

/** A name that is defined further down is written as a text. */
const quoteLater = (type: string): string => JSON.stringify(type.replaceAll('"', "'"));
const isPythonWord = (name: string): boolean => /^[a-z_][a-z0-9_]*$/i.test(name);
const literal = (value: unknown): string =>
  value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : JSON.stringify(value);

export const pascal = (name: string): string =>
  name
    .split(/[_-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
export const docstring = (text: string): string =>
  `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '" ')}"""`;

const keywords = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for ' +
    'from global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);
/** A word that Python keeps for itself gets an underscore. */
export const pythonName = (name: string): string => (keywords.has(name) ? `${name}_` : name);
