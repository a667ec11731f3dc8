// SPDX-License-Identifier: Apache-2.0
// mark start|stop: executes the marker instruction that starts or stops the
// trace, so that a shell script can say what is traced.
#include "markers.h"

int main(int argc, char** argv) {
  if (argc > 1 && argv[1][2] == 'a') START_TRACE();
  if (argc > 1 && argv[1][2] == 'o') STOP_TRACE();
  return 0;
}
