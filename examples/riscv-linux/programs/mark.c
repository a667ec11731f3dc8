// SPDX-License-Identifier: Apache-2.0
// mark start|stop: executes the marker instruction that starts or stops the
// trace, so that a shell script can choose what is traced. It uses no library:
// the marker is in its first function, so the trace begins with a stack that is
// known down to its root.
asm(".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    "  ld a0, 16(sp)\n"  // argv[1]
    "  lbu a0, 2(a0)\n"  // st*a*rt, st*o*p
    "  li a1, 'a'\n"
    "  bne a0, a1, 1f\n"
    "  .word 0x00008013\n"  // starts it
    "  j 2f\n"
    "1: .word 0x00010013\n"  // stops it
    "2: li a0, 0\n"
    "  li a7, 93\n"  // exit
    "  ecall\n"
    ".size _start, . - _start\n");
