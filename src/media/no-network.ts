/**
 * Starts a program that can open no socket, of whatever kind: the kernel refuses `socket`, for it and all that it starts
 * (seccomp). This needs no privilege, so it works in containers too, where a new network namespace is refused.
 * Perl makes the two system calls, because neither Node nor a shell can; it is part of every Debian and beside every git.
 */

type Machine = {
  /** AUDIT_ARCH_… of linux/audit.h. */
  readonly audit: number;
  /** Numbers of system calls, from the kernel's tables. */
  readonly prctl: number;
  readonly socket: number;
};
const machines: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000003e, prctl: 157, socket: 41 },
  arm64: { audit: 0xc00000b7, prctl: 167, socket: 198 },
};
/** It has this number everywhere, and can open sockets as well. */
const IO_URING_SETUP = 425;
/** System calls of the x32 ABI, which knows the same calls under other numbers, begin here; arm64 has none so high. */
const X32 = 0x40000000;

const [LOAD, EQUAL, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06];
const [KILL, ALLOW, REFUSE_WITH_EACCES] = [0x80000000, 0x7fff0000, 0x0005000d];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** The filter as the kernel reads it (struct sock_filter): the first word of its data is the number of the call, the second the ABI. */
const filter = ({ audit, socket }: Machine): Buffer => {
  const program: readonly Instruction[] = [
    [LOAD, 0, 0, 4],
    [EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, 0],
    [AT_LEAST, 3, 0, X32],
    [EQUAL, 2, 0, socket],
    [EQUAL, 1, 0, IO_URING_SETUP],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, REFUSE_WITH_EACCES],
  ];
  const bytes = Buffer.alloc(8 * program.length);
  for (const [i, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * i);
    bytes.writeUInt8(ifTrue, 8 * i + 2);
    bytes.writeUInt8(ifFalse, 8 * i + 3);
    bytes.writeUInt32LE(value, 8 * i + 4);
  }
  return bytes;
};

/** PR_SET_NO_NEW_PRIVS is 38, PR_SET_SECCOMP 22, SECCOMP_MODE_FILTER 2. A shell's codes: 126 not allowed, 127 not found. */
const START = `
my $prctl = shift() + 0;
my $filter = pack "H*", shift;
my $program = pack "S x![P] P", length($filter) / 8, $filter;
syscall($prctl, 38, 1, 0, 0, 0) == 0 && syscall($prctl, 22, 2, $program, 0, 0) == 0 or exit 126;
exec { $ARGV[0] } @ARGV;
exit 127;`;

/** What to put before a command, so that it runs without network. Throws an Error on a processor that is not known here. */
export const withoutNetwork = (
  architecture: string = process.arch,
): readonly [program: string, ...words: string[]] => {
  const machine = machines[architecture];
  if (!machine)
    throw new Error(
      `ffmpeg cannot be started without network on ${architecture}: expected ${Object.keys(machines).join(' or ')}, or FFMPEG_NETWORK=open`,
    );
  return ['perl', '-e', START, String(machine.prctl), filter(machine).toString('hex')];
};

/** Ends with 0 when it could open no socket. */
export const TRY_SOCKET = ['perl', '-e', 'exit(socket(my $s, 2, 1, 0) ? 1 : 0)'] as const;
