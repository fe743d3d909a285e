import ssh2 from 'ssh2';

/** A host key for one stream. The SSH library makes about one key in two hundred that it cannot read itself: those are left out. */
export function makeHostKey(): string {
  for (;;) {
    const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
}
