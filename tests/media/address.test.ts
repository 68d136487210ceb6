import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isPublicAddress } from '../../src/media/fetch/address.ts';

const test = suite('address');

const isPublic = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'];
const isNot = [
  ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255'],
  ...['192.168.1.1', '169.254.169.254', '100.64.0.1', '100.100.100.200', '192.0.0.192'],
  ...['192.0.2.1', '198.18.0.1', '203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['168.63.129.16', '::', '::1', '::127.0.0.1', '::808:808', 'fe80::1', 'fe80::1%eth0'],
  ...['fc00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1', '100::1', '2001:db8::1', '2001::1'],
  ...['2002:7f00:1::', '2002:808:808::', '3fff::1', '4000::1', '5f00::1'],
  ...['::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1'],
  ...['64:ff9b::a9fe:a9fe', '64:ff9b:1::808:808', 'localhost', '', '8.8.8.8.8'],
];

test('addresses of the internet are public', () => {
  for (const address of isPublic) assert.ok(isPublicAddress(address), address);
});

test('an IPv4 address behind NAT64 is as public as it is', () => {
  assert.ok(isPublicAddress('64:ff9b::8.8.8.8'));
  assert.not(isPublicAddress('64:ff9b::10.0.0.1'));
});

test('private, local, shared, metadata, multicast, reserved and unassigned addresses are not', () => {
  for (const address of isNot) assert.not(isPublicAddress(address), address);
});

test.run();
