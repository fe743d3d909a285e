import { describe, expect, it } from 'vitest';
import { invitationLetter, passwordLetter, plainName } from './letters.ts';

const link = 'https://gpuaas.test/invitations/accept#gpuaas_invite_x-y_z';
const accountUrl = 'https://gpuaas.test/oidc/password-link';
const expiresAt = new Date('2026-06-08T12:34:56Z');
const write = (organization: string, inviter = 'u20001') =>
  invitationLetter({ organization, inviter, role: 'member', expiresAt, link, accountUrl });

describe('the letter of an invitation', () => {
  it('says who invites where, until when, and how to accept', () => {
    const { subject, text, html } = write('Acme');
    expect(subject).toBe('You are invited to "Acme" on GPUaaS');
    for (const part of ['u20001 invites you', '"Acme"', 'as member', '2026-06-08 12:34 UTC', link]) {
      expect(text).toContain(part);
    }
    expect(html).toContain(`href="${link}"`);
    for (const written of [text, html]) expect(written).toContain(accountUrl);
  });

  it('says nothing of an account where another provider keeps them', () => {
    const { text, html } = invitationLetter({
      ...{ organization: 'Acme', inviter: 'u20001', role: 'member', expiresAt, link },
      accountUrl: undefined,
    });
    for (const written of [text, html]) expect(written).not.toContain('password');
  });

  it.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "Acme' onmouseover='alert(1)",
    '</title><h1>Pay here</h1>',
    'a & b < c',
  ])('carries a hostile name as text: %s', (name) => {
    const { html } = write(name, name);
    expect(html.match(/<[^>]+>/g)).toEqual(write('Acme').html.match(/<[^>]+>/g));
    expect(html.replace(/<[^>]*>/g, '')).not.toMatch(/[<>"]/);
  });

  it('keeps a name on its line, in its direction, and out of the links', () => {
    const { subject, text } = write('Acme\r\nBcc: all@example.test\u202e\u2028 https://evil.example.test/x');
    expect(subject).not.toMatch(/[\r\n\u202e\u2028]/u);
    expect(text.match(/\bhttps?:\/\/\S+/g)).toEqual([link, 'https://gpuaas.test/oidc/password-link']);
    expect(text).not.toContain('evil.example');
  });

  it('leaves an ordinary name as it is', () => {
    for (const name of ['Acme', 'Müller & Söhne', '東京 GPU', 'R2-D2 (Labs)']) expect(plainName(name)).toBe(name);
  });
});

describe('the letter with a password link', () => {
  it('says for which account, until when, and what to do if nobody asked for it', () => {
    const { text, html } = passwordLetter({ login: 'a&b@example.com', expiresAt, link: accountUrl });
    for (const part of ['a&b@example.com', '2026-06-08 12:34 UTC', accountUrl, 'ignore this email'])
      expect(text).toContain(part);
    expect(html).toContain('a&amp;b@example.com');
    expect(html).toContain(`href="${accountUrl}"`);
  });
});
