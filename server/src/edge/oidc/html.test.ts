import { describe, expect, it } from 'vitest';
import { Html, html } from './html.ts';

describe('a template of markup', () => {
  it('escapes every text, in elements and in attributes', () => {
    const evil = `"><script>alert('x')</script>&`;
    expect(html`<p title="${evil}">${evil}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</p>',
    );
  });

  it('takes markup and lists of markup as they are, and leaves out what is not there', () => {
    const items = ['a', '<b>'].map((name) => html`<li>${name}</li>`);
    expect(html`<ul>${items}</ul>${undefined}${new Html('<hr>')}`.text).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul><hr>',
    );
  });
});
