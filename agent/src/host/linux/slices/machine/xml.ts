/** A document as a tree. Text and values are escaped where they are written, so no value can become an element. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Element | string)[];
}
type Values = Readonly<Record<string, string | number | undefined>>;

const namePattern = /^[A-Za-z_][A-Za-z0-9_.:-]*$/;
const writableControls = '\t\n\r';
/** Characters that XML 1.0 cannot hold, however they are written. */
const isUnwritable = (letter: string) =>
  (letter < ' ' && !writableControls.includes(letter)) || letter === '\ufffe' || letter === '\uffff';

export function element(
  name: string,
  values: Values = {},
  ...children: readonly (Element | string | undefined)[]
): Element {
  const attributes = Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  );
  return { name, attributes, children: children.filter((child) => child !== undefined) };
}

export function render(node: Element | string): string {
  if (typeof node === 'string') return escapeText(node);
  const words = [node.name, ...Object.keys(node.attributes)];
  const wrong = words.find((word) => !namePattern.test(word));
  if (wrong !== undefined) throw new TypeError(`${wrong} is not a name of XML.`);
  const attributes = Object.entries(node.attributes).map(([key, value]) => ` ${key}="${escapeText(value)}"`);
  const inside = node.children.map(render).join('');
  const head = `<${node.name}${attributes.join('')}`;
  return inside === '' ? `${head}/>` : `${head}>${inside}</${node.name}>`;
}

function escapeText(text: string): string {
  if (Array.from(text).some(isUnwritable)) throw new TypeError('XML has no way to write this character.');
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\t', '&#9;')
    .replaceAll('\r', '&#13;');
}
