import type { CommandGroup, FlagSpec } from '../command.ts';
import { allocation, limit } from './words.ts';

const certificate: FlagSpec = {
  type: 'boolean',
  meaning: 'sign in with a certificate of some minutes instead of an installed key',
};
const someId = '01935a2c-0000-7000-8000-000000000001';
const certificateColumns = ['id', 'user_id', 'serial', 'key_fingerprint', 'created_at', 'expires_at', 'revoked_at'];

export const sshGroup: CommandGroup = {
  title: 'SSH',
  commands: [
    {
      name: 'ssh',
      summary: 'Sign in to an allocation by SSH through the gateway, or run a command on it',
      description:
        'The machine needs no public address. Its host keys are known from its attestation, so none is trusted on first use. A key of yours has to be installed on it, or --certificate gets one for some minutes.',
      args: [
        allocation,
        {
          ...{ name: 'COMMAND', optional: true, rest: true },
          meaning: 'a command to run there, instead of a shell; put -- before one that has options',
        },
      ],
      flags: {
        identity: { type: 'string', short: 'i', value: 'FILE', meaning: 'the private key' },
        certificate,
        print: { type: 'boolean', meaning: 'only print the command' },
      },
      examples: ['gpuaas ssh trainer', 'gpuaas ssh @last -- nvidia-smi -L', 'gpuaas ssh trainer --certificate'],
      load: async () => (await import('../commands/ssh/ssh.ts')).ssh,
    },
    {
      name: 'ssh-config',
      summary: 'Settings for ssh, scp, rsync, sftp and editors, for the active allocations of a project',
      description:
        'Each allocation is called NAME.gpuaas and is reached through the gateway. With --write the settings go to ~/.ssh/gpuaas.conf, which ~/.ssh/config then includes. Run it again when allocations came or went.',
      flags: {
        write: { type: 'boolean', meaning: 'write them to ~/.ssh instead of printing them' },
        certificate,
        jump: { type: 'boolean', meaning: 'through the SSH jump host, so that ssh runs without this command line' },
      },
      examples: ['gpuaas ssh-config', 'gpuaas ssh-config --write', 'gpuaas ssh-config --jump --certificate --write'],
      load: async () => (await import('../commands/ssh/ssh-config.ts')).sshConfig,
    },
    {
      name: 'ssh-jump',
      summary: 'Where the SSH jump host is, and its host keys, for people who have ssh and not this command line',
      examples: ['gpuaas ssh-jump', 'gpuaas ssh-jump --jq .known_hosts[]'],
      operation: 'jump_host_get',
      columns: ['host', 'port', 'username', 'host_keys', 'known_hosts'],
      reads: true,
    },
    {
      name: 'ssh-certificate',
      summary:
        'Get a certificate that opens an allocation for some minutes, and print the files of key and certificate',
      description:
        'The key is made once for this computer and never leaves it. A certificate that still works is kept. ssh-config --certificate lets ssh run this before each connection.',
      args: [allocation],
      examples: ['gpuaas ssh-certificate trainer'],
      load: async () => (await import('../commands/ssh/ssh-certificate.ts')).sshCertificate,
    },
    {
      name: 'ssh-certificates',
      summary: 'The certificates that were signed for an allocation',
      args: [allocation],
      flags: { limit },
      examples: ['gpuaas ssh-certificates trainer'],
      operation: 'ssh_certificate_list',
      columns: certificateColumns,
      none: 'No certificate was signed.',
      reads: true,
    },
    {
      name: 'ssh-certificate-revoke',
      summary: 'Revoke a certificate: the jump host refuses it, and what it opened there ends',
      args: [allocation, { name: 'CERTIFICATE', meaning: 'its id', field: 'ssh_certificate_id' }],
      examples: [`gpuaas ssh-certificate-revoke trainer ${someId} --yes`],
      operation: 'ssh_certificate_revoke',
      columns: certificateColumns,
      asks: 'Revoke the certificate {}?',
    },
    {
      name: 'ssh-proxy',
      summary: 'Carry the bytes of an SSH connection, for a ProxyCommand of ssh',
      args: [allocation],
      examples: ['gpuaas ssh-proxy trainer'],
      load: async () => (await import('../commands/ssh/ssh-proxy.ts')).sshProxy,
    },
    {
      name: 'port-forward',
      summary: 'Reach a port of an allocation at a port of this computer',
      description: 'It listens on 127.0.0.1 until it is stopped. Policy says which ports may be reached.',
      args: [allocation, { name: 'LOCAL:REMOTE', meaning: 'the port here and the port there; one number means both' }],
      examples: ['gpuaas port-forward trainer 8888:8888', 'gpuaas port-forward trainer 6006'],
      load: async () => (await import('../commands/ssh/port-forward.ts')).portForward,
    },
  ],
};
