/** Programs that a tenant who is root runs in a machine, for its Python. They send whole frames, past every rule of the machine. */
const frames = `
import socket, struct, sys, time
card = 'eth0'
me = open('/sys/class/net/eth0/address').read().strip()
raw = lambda text: bytes(int(one, 16) for one in text.split(':'))
ip = socket.inet_aton
def checksum(data):
    if len(data) % 2: data += b'\\0'
    total = sum(struct.unpack('!%dH' % (len(data) // 2), data))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff
def udp(source, target, sport, dport, data):
    body = struct.pack('!HHHH', sport, dport, 8 + len(data), 0) + data
    head = struct.pack('!BBHHHBBH4s4s', 0x45, 0, 20 + len(body), 0, 0, 64, 17, 0, ip(source), ip(target))
    return head[:10] + struct.pack('!H', checksum(head)) + head[12:] + body
def send(target, kind, data, source=me):
    line.send(raw(target) + raw(source) + struct.pack('!H', kind) + data)
line = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
line.bind((card, 0))
`;

/** Claims the address of a neighbour, offers addresses as a DHCP server, and announces itself as a router of IPv6. */
export const pretend = (
  victim: { readonly address: string; readonly mac: string },
  gateway: string,
): string => `${frames}
everybody = 'ff:ff:ff:ff:ff:ff'
for round in range(5):
    for claimed in ('${victim.address}', '${gateway}'):
        arp = struct.pack('!HHBBH', 1, 0x0800, 6, 4, 2) + raw(me) + ip(claimed) + raw(everybody) + ip(claimed)
        send(everybody, 0x0806, arp)
        send('${victim.mac}', 0x0806, arp)
    offer = struct.pack('!BBBB', 2, 1, 6, 0) + b'\\0' * 232 + bytes([99, 130, 83, 99, 53, 1, 2, 255])
    send(everybody, 0x0800, udp('${gateway}', '255.255.255.255', 67, 68, offer))
    send('${victim.mac}', 0x0800, udp('${gateway}', '${victim.address}', 67, 68, offer))
    advert = struct.pack('!BBHBBHII', 134, 0, 0, 64, 0, 1800, 0, 0)
    router = socket.inet_pton(socket.AF_INET6, 'fe80::1') + socket.inet_pton(socket.AF_INET6, 'ff02::1')
    send('33:33:00:00:00:01', 0x86dd, struct.pack('!IHBB', 0x60000000, len(advert), 58, 255) + router + advert)
    send('${victim.mac}', 0x0800, udp('${victim.address}', '${victim.address}', 9, 9, b'hello'), source='${victim.mac}')
    time.sleep(0.2)
print('sent')
`;

/** Sends to the world as somebody else, and then as itself. */
export const spoof = (target: string, port: number, others: readonly string[]): string => `${frames}
import subprocess
route = [one.split() for one in open('/proc/net/arp')][1:]
gateway = next((one[3] for one in route if one[0].endswith('.1')), 'ff:ff:ff:ff:ff:ff')
for source in ${JSON.stringify(others)}:
    send(gateway, 0x0800, udp(source, '${target}', 4000, ${port}, b'spoofed'))
genuine = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for round in range(5):
    genuine.sendto(b'genuine', ('${target}', ${port}))
    time.sleep(0.2)
print('sent')
`;

/** Says which hardware addresses were heard for some seconds. */
export const listen = (seconds: number): string => `
import socket, time
line = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
line.settimeout(0.5)
heard, until = set(), time.time() + ${seconds}
while time.time() < until:
    try: frame = line.recv(2048)
    except OSError: continue
    heard.add(':'.join('%02x' % one for one in frame[6:12]))
print(' '.join(sorted(heard)))
`;

/** Says which of these places take a connection. */
export const connectTo = (targets: readonly (readonly [string, number])[]): string => `
import socket
for place in ${JSON.stringify(targets)}:
    try: socket.create_connection(tuple(place), 4).close(); print(place[0], place[1], 'reached')
    except OSError as error: print(place[0], place[1], 'not reached')
`;
