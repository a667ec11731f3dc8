// SPDX-License-Identifier: Apache-2.0
// FireSim's marker instructions, which do nothing: the first starts the trace,
// the second stops it.
#pragma once
#define START_TRACE() asm volatile(".word 0x00008013")  // addi x0, x1, 0
#define STOP_TRACE() asm volatile(".word 0x00010013")   // addi x0, x2, 0
