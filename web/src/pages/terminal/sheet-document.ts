/**
 * The terminal library writes its colours and sizes into <style> elements, which the content security policy of the console
 * refuses. It takes the document that it uses as an option: this one makes an element whose text becomes a constructed style
 * sheet, which the policy allows because no markup can make one.
 */
class SheetElement extends HTMLElement {
  readonly #sheet = new CSSStyleSheet();
  connectedCallback(): void {
    document.adoptedStyleSheets.push(this.#sheet);
  }
  disconnectedCallback(): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet);
  }
  override set textContent(css: string) {
    this.#sheet.replaceSync(css);
  }
  override get textContent(): string {
    return '';
  }
}
const tag = 'terminal-sheet';

export function makeSheetDocument(): Document {
  if (!customElements.get(tag)) customElements.define(tag, SheetElement);
  const createElement = (name: string) => document.createElement(name === 'style' ? tag : name);
  return new Proxy(document, {
    get(target, key) {
      if (key === 'createElement') return createElement;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
