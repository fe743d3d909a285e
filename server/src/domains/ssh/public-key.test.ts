import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptedTypes, type PublicKey, readPublicKey } from './public-key.ts';

/** Made with ssh-keygen, and described as `ssh-keygen -lf` describes them. */
const vectors = [
  {
    type: 'ssh-ed25519',
    bits: 256,
    fingerprint: 'SHA256:8gtLpTwrZmjCrKzBX9RA0oOqrUBpHXYKS72pQQU6uTs',
    comment: 'ada@engine',
    text: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJyxipjkpjPUkSOtTaGM8DdRsXyk/p8DaiinLiaFefxS ada@engine',
  },
  {
    type: 'ecdsa-sha2-nistp256',
    bits: 256,
    fingerprint: 'SHA256:w96Y27ZosWaW9Ns4n+mEhtJ3hDnMRklSh34dVwXNwEI',
    comment: 'curve 256',
    text: 'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBFsyonqenR4A8Co4zyHR1bDYLzCLczklZcSrZUedGgM0+CcNxV74Ylqw2ea7ScGzNpSZI5gN1CGWyDyCYHIfxkg= curve 256',
  },
  {
    type: 'ecdsa-sha2-nistp384',
    bits: 384,
    fingerprint: 'SHA256:yO7F4hJGJZF7ZAgK4disM8pCdUHKk4m2xka2MOKw+IU',
    comment: 'curve 384',
    text: 'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBCJfVj93vwjVVfXp2I4VWjP32dkge2r94w66H6vrjwYJrW0IEzeXbDua2pNUzQh1gu1RLsG/m53/6fWAkUyoHydJz8De+XpVvK0GIxKLDfwFsxF/Vd3VFx/HjVOaMwi5wQ== curve 384',
  },
  {
    type: 'ecdsa-sha2-nistp521',
    bits: 521,
    fingerprint: 'SHA256:hrXac+4CwBtLAaUrvkj4+8IUSzPwI0XY6M5fksOK6wo',
    comment: 'curve 521',
    text: 'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAH/H/VVUukJzZSH/Qn/T1zOC5iRybyIw9yzdVK9dP9pqOWuGWgEBk4tx4l65nt9kaoVRmP1ZKPs+oAp+vYnbEcQtQHZgNc2F9KvX0jef1S/4QrtpTEHMqKToUkdrTCM6OS2SSOtwxFL5BZQYp2eQQYz8wxDL6gWiwGgqzig0LDXA5luaw== curve 521',
  },
  {
    type: 'ssh-rsa',
    bits: 3072,
    fingerprint: 'SHA256:Gl81K2+Yw6cYtGFKumPPmm43dzBnHqrbRd5D16sXre0',
    comment: '',
    text: 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDFYp+l7wnsbu6i6MVuT5jmoSkgN0pSlWgaZ/tVUZ84XfQ1104mdB6UzAeL1LHbEFzr4SeYViRS3ma+ucIIq0aCwbi1w38KicWmiRXQfrf6l3niLuXUVNz17UPvhXEiJPacitIKNkWMWpGcr1c/DkkzdjuShCYiyKnFRj9oA/d8SxpFVvLjZw6SPw6vITe0c53HqpfQ9AE0jxpcYUFK7kIrbfL9bEgqRFGt14GTJ9Kls+mUbJkjafDARWU5SSmEOmNOEpIagzvlaXMtrTDurvAt6/bz6li3pBAJfNCTzxq1d8QDELa+yYMQeelrippiMT9QO7Sd3CwtqwQXji9mxF4+LZbQoIQ0J572p1S2qq5PT0r2k2G4yEKUiDf2T8OLW1Jlq43+9rhWHCOLuxX+HBI3pZapUpvt1lZD5kIZYTURZqwBYGZLYuAsG2CrpQegZgb5aE8RIYP5nXT67YnjgGuXaxjemhC3cuc2wVbdcrEawwzR0esXIoxgLkHJXOIJ8Ws=',
  },
  {
    type: 'sk-ssh-ed25519@openssh.com',
    bits: 256,
    fingerprint: 'SHA256:+0r5lOWkRLO5lrEhizYpqfnY/oC8IrNDN1OfYA3tf6w',
    comment: 'token one',
    text: 'sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIJyxipjkpjPUkSOtTaGM8DdRsXyk/p8DaiinLiaFefxSAAAABHNzaDo= token one',
  },
  {
    type: 'sk-ecdsa-sha2-nistp256@openssh.com',
    bits: 256,
    fingerprint: 'SHA256:mraKcdIh/bGdFNlPBAJLJQgEGWbdqzNX3+vDl9zt+WA',
    comment: 'token two',
    text: 'sk-ecdsa-sha2-nistp256@openssh.com AAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTZAb3BlbnNzaC5jb20AAAAIbmlzdHAyNTYAAABBBFsyonqenR4A8Co4zyHR1bDYLzCLczklZcSrZUedGgM0+CcNxV74Ylqw2ea7ScGzNpSZI5gN1CGWyDyCYHIfxkgAAAAEc3NoOg== token two',
  },
] as const;
const [ed25519] = vectors;
const shortRsa =
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCN78710Sp9P54for3xRsbqJbTllVUOTFVuT1truBM0Bjr74rKgzvCXLTYa/dL+YXuG94ZHV7r5amMgSjt/hqqqi8500n/bMkGRrjWHE9oda55Usca+igHondp3rPFgzTTlMdwumkIECGZ7itK3kPnDiHbSiGuoLFi4OhRBRoX/D46Oa6d6C76ykFEVRV2+scG/7JgXxqt0285CGG5JVbh4Kb/TsUR1bMSi+5/XB0YHE4R9iugYBhGv43mbgaaIPPG3jT/gP+evQRY5en8NB9Rt6xQV61azatdz16Gv4azSKuz39TvDnPht1xDsA/iysJhVP/XDrlVH/AvmCGqGKsZp short';

const rules = { rsaMinBits: 3_072 };
const why = (text: string): string => {
  const read = readPublicKey(text, rules);
  return 'why' in read ? read.why : `accepted as ${read.type}`;
};
const field = (bytes: Buffer | string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(bytes));
  return Buffer.concat([length, Buffer.from(bytes)]);
};
const lineOf = (type: string, ...fields: Buffer[]) =>
  `${type} ${Buffer.concat([field(type), ...fields]).toString('base64')}`;

describe('a public key', () => {
  it.each(vectors)('of type $type is read as ssh-keygen reads it', ({ text, ...expected }) => {
    const { line, ...read } = readPublicKey(text, rules) as PublicKey;
    expect(read).toEqual(expected);
    expect(line).toBe(text.split(' ').slice(0, 2).join(' '));
  });

  it('has a vector for every type that is accepted', () => {
    expect(vectors.map(({ type }) => type).sort()).toEqual([...acceptedTypes].sort());
  });

  it('may end with the line break of its file', () => {
    expect(readPublicKey(`${ed25519.text}\r\n`, rules)).toMatchObject({ comment: ed25519.comment });
  });

  it('of RSA is measured by the policy', () => {
    expect(why(shortRsa)).toContain('at least 3072 bits, this one has 2048');
    expect(readPublicKey(shortRsa, { rsaMinBits: 2_048 })).toMatchObject({ bits: 2_048 });
  });

  it.each([
    [
      'an OpenSSH private key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----',
      'private key',
    ],
    ['an old private key', '-----BEGIN RSA PRIVATE KEY-----\nabc', 'must not leave your machine'],
    ['a PuTTY private key', 'PuTTY-User-Key-File-3: ssh-ed25519\n', 'private key'],
    ['a key in the form of RFC 4716', '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA', 'ssh-keygen -i'],
    ['a DSA key', 'ssh-dss AAAAB3NzaC1kc3MAAACB somebody', 'DSA'],
    ['a certificate', 'ssh-ed25519-cert-v01@openssh.com AAAA', 'certificate'],
    ['options before the key', `command="/bin/sh" ${ed25519.text}`, 'options'],
    ['a bare option', `no-pty ${ed25519.text}`, 'options'],
    ['two lines', `${ed25519.text}\n${ed25519.text}`, 'one line'],
    ['a tab', ed25519.text.replace(' ', '\t'), 'one line'],
    ['a bell in the comment', `${ed25519.text}\u0007`, 'control characters'],
    ['a hidden change of direction', `${ed25519.text}\u202e`, 'control characters'],
    ['a comment without end', `${ed25519.text}${'x'.repeat(300)}`, 'comment'],
    ['a type alone', 'ssh-ed25519', 'damaged'],
    ['nothing', ' ', 'not a public key'],
    ['a word', 'hello', 'not a public key'],
    ['a name from the prototype', 'constructor AAAA', 'not a public key'],
    ['half a key', ed25519.text.slice(0, 50), 'damaged'],
    ['base64 with another ending', ed25519.text.replace('fxS ', 'fxT= '), 'damaged'],
    ['a type that the key itself denies', ed25519.text.replace('ssh-ed25519', 'ssh-rsa'), 'damaged'],
    ['bytes after the key', lineOf('ssh-ed25519', field(Buffer.alloc(32, 7)), field('more')), 'damaged'],
    ['a short Ed25519 key', lineOf('ssh-ed25519', field(Buffer.alloc(31, 7))), 'damaged'],
    [
      'another curve than it says',
      lineOf('ecdsa-sha2-nistp256', field('nistp384'), field(Buffer.alloc(65, 4))),
      'damaged',
    ],
    [
      'a point beside its curve',
      lineOf('ecdsa-sha2-nistp256', field('nistp256'), field(Buffer.alloc(65, 4))),
      'no point of its curve',
    ],
    ['a compressed point', lineOf('ecdsa-sha2-nistp256', field('nistp256'), field(Buffer.alloc(33, 2))), 'damaged'],
    ['a negative RSA modulus', lineOf('ssh-rsa', field(Buffer.from([3])), field(Buffer.alloc(400, 0xff))), 'damaged'],
    ['a padded RSA modulus', lineOf('ssh-rsa', field(Buffer.from([3])), field(Buffer.alloc(400))), 'damaged'],
    ['an even RSA exponent', lineOf('ssh-rsa', field(Buffer.from([4])), field(Buffer.alloc(400, 0x7f))), 'damaged'],
    [
      'an RSA key of absurd size',
      lineOf('ssh-rsa', field(Buffer.from([3])), field(Buffer.alloc(4_000, 0x7f))),
      'at most',
    ],
    [
      'a token key without its application',
      lineOf('sk-ssh-ed25519@openssh.com', field(Buffer.alloc(32, 7))),
      'damaged',
    ],
  ])('is refused when it is %s, with a reason', (_, text, reason) => {
    expect(why(text)).toContain(reason);
  });

  it('that was cut or changed anywhere is never read as something longer', () => {
    const [type, base64 = ''] = vectors[1].text.split(' ');
    const blob = Buffer.from(base64, 'base64');
    fc.assert(
      fc.property(fc.nat(blob.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(blob);
        changed[at] = byte;
        const read = readPublicKey(`${type} ${changed.toString('base64')}`, rules);
        expect('why' in read || changed.equals(blob)).toBe(true);
        expect('why' in readPublicKey(`${type} ${blob.subarray(0, at).toString('base64')}`, rules)).toBe(true);
      }),
    );
  });

  it('of any text at all is answered with a key or a sentence', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(why(text)).toMatch(/\.$|^accepted/);
      }),
    );
  });
});
